"""A running score of three segments, and its metric."""

from random import Random

import pytest

from rapidbleu import BLEU
from rapidbleu.running import RunningScore
from support.running_scores import random_rows


@pytest.fixture
def bleu() -> BLEU:
    return BLEU()


@pytest.fixture
def running(bleu: BLEU) -> RunningScore:
    return RunningScore(bleu, random_rows(Random(5), bleu, 3))
