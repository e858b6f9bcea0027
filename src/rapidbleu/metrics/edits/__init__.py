"""Edit-based metrics: WER, CER, PER, CDER, TER, HTER, CharacTER and EED."""
