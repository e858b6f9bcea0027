"""What tuned weights score on text that they were not tuned on."""
