"""What is loaded when it is asked for: names of this package, modules of an installed sacrebleu."""
