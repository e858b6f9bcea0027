"""Many runs of a method: bagging, seeds and cross-validation."""
