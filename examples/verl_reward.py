"""A reward for verl: the mean of BLEU and chrF of the answer after the reasoning.

verl loads it by its path::

    python -m verl.trainer.main_ppo ... \\
        reward.custom_reward_function.path=examples/verl_reward.py \\
        reward.custom_reward_function.name=compute_score

(`custom_reward_function.path` in older versions.) The ground truth of a sample is the reference, a
list of references, or a dict with the entry below. Run as a program, it shows three calls.
"""

from rapidbleu import BLEU, CHRF, make_reward


def answer(text: str) -> str:
    """Return the text after a model's reasoning."""
    return text.rpartition("</think>")[2].strip()


METRICS = [BLEU(effective_order=True), CHRF()]
compute_score = make_reward(
    "verl", metric=METRICS, reference_key="translation.en", extract=answer, bad=0.0
)
# For verl's reward loop, which awaits it: name=compute_score_async.
compute_score_async = make_reward(
    "verl", metric=METRICS, reference_key="translation.en", extract=answer, bad=0.0,
    asynchronous=True,
)  # fmt: skip


if __name__ == "__main__":
    solution = "<think>Rain?</think> It is raining."
    for truth in (
        "It is raining.",
        ["It rains.", "It is raining now."],
        {"translation": {"de": "Es regnet.", "en": "It rained."}},
    ):
        print(f"{compute_score('weather', solution, truth, extra_info={}):.4f}  {truth}")
