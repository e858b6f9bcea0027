"""The inputs of the test vectors, each with the mistake that it catches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Segment = tuple[str, list[str]]


@dataclass
class Case:
    """One vector without its numbers."""

    reason: str
    tags: list[str]
    segments: list[Segment]
    options: dict[str, Any] = field(default_factory=dict)
    core: bool = False


CASES: dict[str, list[Case]] = {}


def of(file: str, core: bool = False, **common: Any) -> Any:
    """Return a function that adds a case to a file."""
    cases = CASES.setdefault(file, [])

    def add(reason: str, tags: str, *segments: Any, **options: Any) -> None:
        pairs = [(hyp, [refs] if isinstance(refs, str) else list(refs)) for hyp, refs in segments]
        cases.append(Case(reason, tags.split(), pairs, common | options, core))

    return add


CAT = "the cat sat on the mat and looked at the dog"
SAT = "the cat sat on a mat and looked at the dog"
RAIN = "it was raining all day in the north of the country"
WET = "it rained all day in the north of the land"
SHORT = "it rained"
NEWS = "the minister said on monday that the new law will come into force next year"
NEWS_2 = "on monday the minister announced that the new law takes effect next year"
NEWS_3 = "the minister said that the new law will enter into force next year on monday"

# BLEU of sacrebleu ---------------------------------------------------------------------------------

core = of("bleu", core=True, tokenize="none", smoothing="none")
core("Equal texts have BLEU 100.", "identity", (CAT, CAT))
core(
    "Precisions of four orders are multiplied, not added: the mean is geometric.",
    "mean",
    (SAT, CAT),
)
core(
    "Exchanging hypothesis and reference changes the score; here the hypothesis is shorter.",
    "arguments brevity",
    (CAT, CAT + " for a long time"),
)
core(
    "Exchanging hypothesis and reference changes the score; here the hypothesis is longer.",
    "arguments",
    (CAT + " for a long time", CAT),
)
core(
    "A hypothesis that is longer than its reference has no brevity penalty and no bonus.",
    "brevity",
    (NEWS + " or later", NEWS),
)
core(
    "A hypothesis as long as its reference has no brevity penalty.",
    "brevity",
    ("a cat sat on the mat and looked at a dog", CAT),
)
core(
    "The penalty is exp(1 - reference length / hypothesis length), not the ratio of lengths.",
    "brevity",
    ("the cat sat on the mat", CAT),
)
core(
    "A word counts at most as often as the reference has it.",
    "clipping",
    ("the the the the cat sat on the mat", "the cat sat on the mat today again"),
)
core(
    "N-grams of all orders are clipped, not only words.",
    "clipping",
    ("sat on the mat sat on the mat sat on the mat", "the cat sat on the mat and ran off again"),
)
core(
    "With several references a word counts as often as in the one that has most of it, not as often"
    " as in all of them together.",
    "clipping references",
    ("a a a a b c d e f", ["a a b c d e f g h", "b c d e f a a i j"]),
)
core(
    "Clipping takes the largest count over all references, not the count in the first.",
    "clipping references",
    (
        "the cat and the dog and the bird sang",
        ["the cat and a dog and a bird sang", "the cat and the dog and the bird sat"],
    ),
)
core(
    "Clipping takes the largest count over all references, not the count in the last.",
    "clipping references",
    (
        "the cat and the dog and the bird sang",
        ["the cat and the dog and the bird sat", "the cat and a dog and a bird sang"],
    ),
)
core(
    "Clipping takes the largest count over all references, also if the closest in length has less.",
    "clipping references",
    (
        "no no no it is not so",
        ["no no no it is not so at all my friend", "no it is not so my friend"],
    ),
)
core(
    "Different n-grams may match different references: one reference is not chosen for the segment.",
    "references",
    (NEWS_3, [NEWS, NEWS_2]),
)
core(
    "Repeated n-grams of the hypothesis count each time: n-grams are no set.",
    "multiset",
    (
        "row row row your boat gently down the stream row row row",
        "row row row your boat gently down the river row row row",
    ),
)
core(
    "N-grams that occur twice in both texts match twice.",
    "multiset",
    (
        "to be or not to be that is to be or not to be",
        "to be or not to be this is to be or not to be",
    ),
)
core(
    "With several references the length closest to the hypothesis counts, not the shortest.",
    "closest references",
    (CAT, ["the cat sat on the mat", CAT + " outside", "the dog"]),
)
core(
    "With several references the length closest to the hypothesis counts, not the longest.",
    "closest references",
    (CAT, [CAT + " there", CAT + " there for a very long time indeed"]),
)
core(
    "With several references the length closest to the hypothesis counts, not the first.",
    "closest references",
    (CAT, ["the cat sat on the mat and looked at the dog there for a long time", CAT + " there"]),
)
core(
    "With several references the length closest to the hypothesis counts, not their mean.",
    "closest references",
    (CAT, ["cat and dog", CAT + " there", CAT + " there as well as here"]),
)
core(
    "Of two references equally close in length, the shorter counts, if it is the second.",
    "closest ties references",
    (
        "the cat sat on the mat today",
        ["the cat sat on the mat today again now", "the cat sat on mats"],
    ),
    (SHORT + " in the whole of the north", [RAIN]),
)
core(
    "Of two references equally close in length, the shorter counts, if it is the first.",
    "closest ties references",
    (
        "the cat sat on the mat today",
        ["the cat sat on mats", "the cat sat on the mat today again now"],
    ),
    (SHORT + " in the whole of the north", [RAIN]),
)
core(
    "Counts are summed over segments before the division: it is no mean of segment scores.",
    "pooling",
    (CAT, CAT),
    (WET, RAIN),
    (SHORT + " today", "it was raining"),
)
core(
    "Lengths are summed over segments before the penalty: a long segment makes up for a short one.",
    "pooling brevity",
    ("the cat sat on the mat", CAT),
    (RAIN + " and also in the south", RAIN),
)
core(
    "A segment without a match of four words lowers the precision and does not make the score zero.",
    "pooling",
    (CAT, CAT),
    ("we do not know", "nobody knows about it"),
)
core(
    "N-grams do not cross the border of two segments.",
    "pooling borders",
    ("the cat sat on the", "the cat sat on the"),
    ("dogs sleep long", "dogs sleep long and well"),
    ("mat and looked at the dog", "mat and looked at a dog"),
)
core(
    "A segment of fewer than four words has no 4-gram, so its total is 0 and not negative.",
    "short",
    (SHORT, SHORT),
    (SAT, CAT),
)
core(
    "A segment without any word counts with the length of its reference.",
    "empty brevity",
    ("", RAIN),
    (CAT, CAT),
)
core(
    "A reference without any word matches nothing and has length 0.",
    "empty",
    (SHORT, ""),
    (SAT, CAT),
)
core(
    "A corpus without a matching 4-gram has BLEU 0 without smoothing.",
    "zero",
    ("the dog sat on the cat", "the cat sat on the dog"),
)
core("Texts without a common word have BLEU 0.", "zero", ("a b c d e", "f g h i j"))
core(
    "A corpus without any word has BLEU 0 and does not divide by 0.",
    "zero empty",
    ("", "a b c d"),
    ("", "e f"),
)
core("Case counts.", "case", ("The Cat sat on the mat and looked at the dog", CAT))
core(
    "Words are compared in their order: a bag of words is not enough.",
    "order",
    ("dog the at looked and mat the on sat cat the", CAT),
    (SAT, CAT),
)
core(
    "Punctuation marks are words like others.",
    "punctuation",
    ("the cat sat , on the mat .", "the cat sat on the mat ."),
)
core(
    "Letters outside of ASCII belong to words.",
    "unicode",
    ("der Zug über Köln fährt heute früher ab", "der Zug über Köln fährt heute später ab"),
    ("поезд до москвы уйдёт раньше", "поезд до москвы уйдёт позже"),
)
core(
    "Characters are not normalized: a composed and a decomposed letter differ.",
    "unicode normalization",
    (
        "das Caf\u00e9 ist heute nicht ge\u00f6ffnet und bleibt zu",
        "das Cafe\u0301 ist heute nicht ge\u00f6ffnet und bleibt zu",
    ),
)
core(
    "Lengths count words, not characters.",
    "brevity units",
    (
        "internationalization of documentation takes long today",
        "the i18n of documentation takes long today or not",
    ),
)
core(
    "More than one space, a tab and a space at the end separate words as one space does.",
    "spaces",
    ("the cat  sat\ton the mat and looked ", "the cat sat on the mat and looked"),
)
core(
    "Three references of which each has something.",
    "references clipping closest",
    (NEWS, [NEWS_2, NEWS_3, "the new law will come into force next year"]),
    (WET, [RAIN, "it rained all day long", "all day it rained in the north"]),
)
core(
    "The order of references does not matter.",
    "references",
    (NEWS, ["the new law will come into force next year", NEWS_2, NEWS_3]),
    (WET, ["all day it rained in the north", RAIN, "it rained all day long"]),
)
core(
    "A reference that stands twice counts once.",
    "references clipping",
    (SAT, [CAT, CAT]),
    (WET, [RAIN, RAIN]),
)
core(
    "Segments may have different numbers of references.",
    "references",
    (NEWS, [NEWS_2, NEWS_3]),
    (WET, [RAIN]),
    (CAT, [SAT, CAT, CAT + " there"]),
)
core(
    "Equal words of references with blanks only around them are equal.",
    "spaces references",
    (SAT, [" " + CAT + " ", SAT + "  "]),
)
core(
    "Orders up to two have the weights 1/2.", "order weights", (SAT, CAT), (WET, RAIN), max_order=2
)
core(
    "Words alone: the weight of their precision is 1.",
    "order weights clipping",
    ("the the the the the the the", "the cat is on the mat"),
    max_order=1,
)
core(
    "Orders up to six have the weights 1/6.",
    "order weights",
    (CAT + " there", CAT + " here"),
    max_order=6,
)

smooth = of("bleu", tokenize="none")
smooth(
    "Exponential smoothing replaces the first order without a match by 1 / (2 * total).",
    "smoothing",
    ("the dog sat on the cat", "the cat sat on the dog"),
    smoothing="exp",
)
smooth(
    "Exponential smoothing doubles the divisor at each further order without a match.",
    "smoothing",
    ("the dog and on it the cat", "the cat sat on a dog"),
    smoothing="exp",
)
smooth(
    "Exponential smoothing changes nothing if each order has a match.",
    "smoothing",
    (SAT, CAT),
    smoothing="exp",
)
smooth(
    "No smoothing makes a score of a hypothesis without any matching word.",
    "smoothing zero",
    ("a b c d e", "f g h i j"),
    smoothing="exp",
)
smooth(
    "Smoothing by a floor puts 0.1 in place of 0 matches, not 0.1 as the precision.",
    "smoothing",
    ("the dog sat on the cat", "the cat sat on the dog"),
    smoothing="floor",
    smoothing_value=0.1,
)
smooth(
    "The floor is an option.",
    "smoothing",
    ("the dog sat on the cat", "the cat sat on the dog"),
    smoothing="floor",
    smoothing_value=0.01,
)
smooth(
    "Smoothing add-k adds k to matches and totals of orders above 1, not to those of words.",
    "smoothing",
    (SAT, CAT),
    smoothing="add-k",
    smoothing_value=1,
)
smooth(
    "The k of add-k is an option.", "smoothing", (SAT, CAT), smoothing="add-k", smoothing_value=0.5
)
smooth(
    "Add-k smooths the counts of the corpus, once, not those of each segment.",
    "smoothing pooling",
    (SAT, CAT),
    (WET, RAIN),
    (SHORT, RAIN),
    smoothing="add-k",
    smoothing_value=1,
)
smooth(
    "Exponential smoothing is for the corpus, once, not for each segment.",
    "smoothing pooling",
    ("the dog sat on the cat", "the cat sat on the dog"),
    (SAT, CAT),
    smoothing="exp",
)
smooth(
    "With effective order, orders that the hypothesis is too short for do not count.",
    "short effective",
    ("the cat", "the cat"),
    smoothing="exp",
    effective_order=True,
)
smooth(
    "Without effective order a text of two words that equals its reference has BLEU 0.",
    "short effective",
    ("the cat", "the cat"),
    smoothing="exp",
)
smooth(
    "With effective order, orders without a match still count.",
    "short effective smoothing",
    ("the big cat", "the cat big"),
    smoothing="exp",
    effective_order=True,
)

words = of("bleu", smoothing="exp")
TWO = ('He said: "I don\'t know, Mr. Smith!"', 'He said: "I do not know, Mr. Smith."')
words(
    "13a separates punctuation, also quotation marks and the final full stop.",
    "tokenization",
    TWO,
    tokenize="13a",
)
words(
    "13a keeps the point and the comma within numbers.",
    "tokenization numbers",
    ("It costs $1,000.50, not 2.5 million.", "It costs $1,000.50, not 3.5 million."),
    tokenize="13a",
)
words(
    "13a separates a hyphen after a digit only.",
    "tokenization numbers",
    ("the 9-year-old well-known boy of 1990-95", "the 9 -year-old well-known boy of 1990 - 95"),
    tokenize="13a",
)
words(
    "13a replaces &quot;, &amp;, &lt; and &gt; by their characters first.",
    "tokenization entities",
    ("Tom &amp; Jerry said &quot;hello there&quot; twice", 'Tom & Jerry said "hello there" twice'),
    tokenize="13a",
)
words(
    "13a does not separate punctuation outside of ASCII.",
    "tokenization unicode",
    ("«Das ist gut», sagte er – und ging weg", "« Das ist gut » , sagte er – und ging weg"),
    tokenize="13a",
)
words(
    "13a leaves apostrophes within words.",
    "tokenization",
    ("it's the dog's bone and we can't take it", "it 's the dog 's bone and we can 't take it"),
    tokenize="13a",
)
words(
    "13a removes the mark <skipped>.",
    "tokenization entities",
    ("the cat <skipped> sat on the mat", "the cat sat on the mat"),
    tokenize="13a",
)
words(
    "13a leaves case alone.",
    "tokenization case",
    ("The Cat sat on the Mat.", "the cat sat on the mat."),
    tokenize="13a",
)
words(
    "The option for lower case is Python's, also outside of ASCII.",
    "case unicode",
    ("ÄRZTE UND ΣΟΦΟΣ sind heute sehr müde", "ärzte und σοφος sind heute sehr müde"),
    tokenize="13a",
    lowercase=True,
)
words(
    "The rule intl separates each punctuation mark of Unicode that no digit stands beside.",
    "tokenization unicode",
    ("«Das ist gut», sagte er – und 3,5 kamen.", "« Das ist gut » , sagte er – und 3,5 kamen ."),
    tokenize="intl",
)
words(
    "The rule intl separates symbols.",
    "tokenization unicode",
    ("es kostet 5€ oder 6$ und 7°C heute", "es kostet 5 € oder 6 $ und 7 ° C heute"),
    tokenize="intl",
)
words(
    "Characters as words: spaces do not count.",
    "tokenization characters",
    ("今天天气很好 ok", "今天天气真好 ok"),
    tokenize="char",
)
words(
    "The rule zh separates Chinese characters, and other text as 13a.",
    "tokenization characters",
    ("他在2010年买了一台iPad, 很好.", "他在2010年买了一部iPad, 很好."),
    tokenize="zh",
)
words(
    "Full-width punctuation is separated by the rule zh.",
    "tokenization characters",
    ("你好，世界！今天是2020年。", "你好,世界!今天是2020年."),
    tokenize="zh",
)
words(
    "A text without any spaces is one word for 13a.",
    "tokenization characters",
    ("今天天气很好。", "今天天气真好。"),
    tokenize="13a",
)
words(
    "All defaults of sacrebleu on two segments with two references.",
    "defaults",
    ("The dog bit the man.", ["The dog had bit the man.", "The dog bit the man."]),
    ("It wasn't surprising.", ["No one was surprised.", "It was not unexpected."]),
    ("The man had just bitten him.", ["The man had bitten the dog.", "The man bit him first."]),
    tokenize="13a",
)

# chrF of sacrebleu ---------------------------------------------------------------------------------

core = of("chrf", core=True)
core("Equal texts have chrF 100.", "identity", (CAT, CAT))
core(
    "Precision and recall of character n-grams, averaged over the orders 1 to 6.",
    "mean",
    (SAT, CAT),
)
core(
    "Exchanging hypothesis and reference changes the score, because beta is 2: here recall is low.",
    "arguments beta",
    ("the cat sat", CAT),
)
core(
    "Exchanging hypothesis and reference changes the score, because beta is 2: here precision is low.",
    "arguments beta",
    (CAT, "the cat sat"),
)
core(
    "Spaces are removed before n-grams are counted, so n-grams cross words.",
    "spaces",
    ("thecat sat onthe mat", "the cat sat on the mat"),
)
core(
    "A tab and a no-break space are removed like a space.",
    "spaces",
    ("the\tcat sat\u00a0on", "the cat sat on"),
)
core(
    "N-grams count as often as they occur: they are no set.",
    "multiset",
    ("abababab abab", "abab cdcd"),
)
core("Matches are clipped by the count in the reference.", "clipping", ("aaaaaaaaaa", "aaa aa"))
core(
    "Counts are summed over segments before the division: it is no mean of segment scores.",
    "pooling",
    (CAT, CAT),
    (SHORT, "rainfall"),
    (WET, RAIN),
)
core(
    "N-grams do not cross the border of two segments.",
    "pooling borders",
    ("a cat sat", "a cat sits"),
    ("on mats", "on a mat"),
)
core("Texts without a common character have chrF 0.", "zero", ("aaa", "bbb"))
core(
    "Orders that hypothesis or reference are too short for do not count in the mean.",
    "short",
    ("ab", "abc"),
)
core(
    "A text of one character that equals its reference has chrF 100.", "short identity", ("a", "a")
)
core(
    "A segment without output counts with the n-grams of its reference.",
    "empty",
    ("", RAIN),
    (CAT, CAT),
)
core("A corpus without output has chrF 0.", "empty zero", ("", "abc"))
core("Case counts.", "case", ("The Cat Sat", "the cat sat"))
core("Punctuation is text like other characters.", "punctuation", ("the cat, sat.", "the cat sat"))
core(
    "Letters outside of ASCII count as one character each, not as bytes.",
    "unicode",
    ("über Köln fährt", "uber Koln fahrt"),
)
core(
    "Characters outside of the first plane count as one, not as two surrogates.",
    "unicode surrogates",
    ("so \U0001f600\U0001f601 nice", "so \U0001f600\U0001f602 nice"),
)
core(
    "A combining mark is a character of its own.",
    "unicode normalization",
    ("Cafe\u0301 zu", "Caf\u00e9 zu"),
)
core(
    "Joined emoji are the code points they consist of.",
    "unicode",
    ("\U0001f468\u200d\U0001f469\u200d\U0001f467 da", "\U0001f468\u200d\U0001f469 da"),
)
core("Chinese text.", "unicode", ("今天天气很好", "今天天气真好，是吧"))
core(
    "Words in another order still share the n-grams within them.",
    "order",
    ("dog the at looked and mat the on sat cat the", CAT),
)
core(
    "With several references the one with the highest score counts for the segment.",
    "references",
    (NEWS_3, [NEWS_2, NEWS]),
)
core(
    "The best reference is chosen for each segment, and its counts are summed.",
    "references pooling",
    (SAT, [RAIN, CAT]),
    (WET, [RAIN, CAT]),
)
core(
    "The order of references does not matter if their scores differ.",
    "references",
    (SAT, [CAT, RAIN]),
    (WET, [CAT, RAIN]),
)

more = of("chrf")
more(
    "An order in which the reference of a segment has no n-gram does not count the segment's hypothesis.",
    "short pooling",
    (SHORT, "rain"),
    (WET, RAIN),
)
more(
    "The hypothesis of a segment with an empty reference does not count.",
    "empty",
    (SHORT, ""),
    (CAT, CAT),
)
more("beta=1 weights precision and recall alike.", "beta", ("the cat sat", CAT), beta=1)
more("beta=3 weights recall nine times.", "beta", (CAT, "the cat sat"), beta=3)
more("Four orders of characters.", "order", (SAT, CAT), char_order=4)
more("chrF+ adds words to the n-grams of characters.", "words", (SAT, CAT), word_order=1)
more(
    "chrF++ adds words and pairs of words; all orders have equal weight.",
    "words",
    (SAT, CAT),
    word_order=2,
)
more(
    "For the word orders one punctuation mark is separated at the end of a word.",
    "words punctuation",
    ("Hello, world!", "Hello , world !"),
    word_order=2,
)
more(
    "For the word orders one punctuation mark is separated at the start of a word.",
    "words punctuation",
    ('he said (loudly) "no"', 'he said ( loudly ) " no "'),
    word_order=2,
)
more(
    "Only one of several punctuation marks is separated from a word.",
    "words punctuation",
    ("what?! no...", "what ?! no ..."),
    word_order=2,
)
more(
    "Words of several segments are summed like characters.",
    "words pooling",
    (SAT, CAT),
    (SHORT, RAIN),
    word_order=2,
)
more(
    "Lower case as an option is that of Python.",
    "case unicode",
    ("ÄRZTE IN WIEN", "ärzte in wien"),
    lowercase=True,
)
more(
    "With spaces as characters, two words that are joined lose n-grams.",
    "spaces",
    ("thecat sat onthe mat", "the cat sat on the mat"),
    whitespace=True,
)
more(
    "Smoothing by epsilon counts all orders, also those that a text is too short for.",
    "smoothing short",
    ("ab", "abc"),
    eps_smoothing=True,
)
more(
    "Smoothing by epsilon gives texts without a common character almost 0.",
    "smoothing zero",
    ("aaa", "bbb"),
    eps_smoothing=True,
)
more(
    "All defaults of chrF++ on two segments with two references.",
    "defaults words references",
    ("The dog bit the man.", ["The dog had bit the man.", "The dog bit the man."]),
    ("It wasn't surprising.", ["No one was surprised.", "It was not unexpected."]),
    word_order=2,
)

# TER of sacrebleu ----------------------------------------------------------------------------------

core = of("ter", core=True)
core("Equal texts have TER 0.", "identity", (CAT, CAT))
core("A substitution is one edit.", "edits", (SAT, CAT))
core("A missing word is one edit.", "edits", ("the cat sat on mat and looked at the dog", CAT))
core(
    "An additional word is one edit.",
    "edits",
    ("the cat sat down on the mat and looked at the dog", CAT),
)
core(
    "Edits are divided by the length of the reference, so exchanging the arguments matters.",
    "arguments",
    ("the cat", CAT),
)
core(
    "Edits are divided by the length of the reference: the rate may exceed 100.",
    "arguments",
    (CAT, "the cat"),
)
core(
    "Moving a block of words is one edit, whatever its length.",
    "shifts",
    (
        "and looked at the dog the cat sat on the mat",
        "the cat sat on the mat and looked at the dog",
    ),
)
core("Two blocks are moved by two edits.", "shifts", ("d e f x a b c y", "a b c x d e f y"))
core(
    "A word is moved over many others by one edit.",
    "shifts",
    (
        "monday the minister said that the law comes into force",
        "the minister said that the law comes into force monday",
    ),
)
core(
    "A move and a substitution are two edits.",
    "shifts edits",
    ("and looked at the dog the cat sat on a mat", CAT),
)
core(
    "A block moves only to a place where it matches the reference.",
    "shifts",
    ("c b a e d", "a b c d e"),
)
core(
    "Moves are chosen greedily: the best single move first, so the result is not always minimal.",
    "shifts greedy",
    ("a b c d e f g h", "e f a b g h c d"),
)
core(
    "Of moves with equal gain the longest comes first.",
    "shifts greedy",
    ("b a d c f e", "a b c d e f"),
)
core(
    "A block of more than ten words is not moved as a whole.",
    "shifts limits",
    ("l m n o p q r s t u v a b c d e f g h i j k", "a b c d e f g h i j k l m n o p q r s t u v"),
)
core("Case does not count.", "case", ("The CAT sat On the mat", "the cat sat on the mat"))
core(
    "Punctuation belongs to the word before it, because nothing is tokenized.",
    "punctuation",
    ("the cat sat .", "the cat sat."),
)
core(
    "Edits and lengths are summed over segments before the division.",
    "pooling",
    (CAT, CAT),
    (SHORT, "rain fell"),
    (WET, RAIN),
)
core("A segment without output costs the length of its reference.", "empty", ("", RAIN), (CAT, CAT))
core(
    "An empty reference costs each word of the hypothesis and adds no length.",
    "empty",
    (SHORT, ""),
    (CAT, CAT),
)
core(
    "Several references: the fewest edits count, and the mean of all lengths.",
    "references",
    (SAT, [RAIN, CAT, "the cat sat"]),
)
core(
    "The mean length of references is not rounded.",
    "references",
    (CAT, [CAT, CAT + " x", CAT + " y z"]),
)
core(
    "The reference with the fewest edits is chosen for each segment.",
    "references pooling",
    (SAT, [CAT, RAIN]),
    (WET, [CAT, RAIN]),
)
core(
    "Letters outside of ASCII belong to words.",
    "unicode",
    ("der Zug über Köln fährt", "der Zug über Bonn fährt"),
)
core(
    "A composed and a decomposed letter differ.",
    "unicode normalization",
    ("das Caf\u00e9", "das Cafe\u0301"),
)
core(
    "Texts without a common word have TER 100 if they are equally long.", "zero", ("a b c", "d e f")
)
core(
    "A word that occurs twice in both texts is counted twice.",
    "shifts multiset",
    ("the the cat dog and", "the cat and the dog"),
)
core(
    "More than one space and a tab separate words as one space does.",
    "spaces",
    ("the  cat\tsat ", "the cat sat"),
)

more = of("ter")
more(
    "Case counts if asked for.",
    "case",
    ("The CAT sat On the mat", "the cat sat on the mat"),
    case_sensitive=True,
)
more(
    "Normalization separates punctuation.",
    "tokenization",
    ("the cat, sat (down).", "the cat , sat ( down ) ."),
    normalized=True,
)
more(
    "Normalization keeps points and commas within numbers.",
    "tokenization numbers",
    ("it costs 1,000.50 now.", "it costs 1,000.50 now ."),
    normalized=True,
)
more(
    "Normalization separates 's from its word.",
    "tokenization",
    ("the dog's bone", "the dog 's bone"),
    normalized=True,
)
more(
    "Punctuation is removed if asked for.",
    "punctuation",
    ("the cat, sat.", "the cat sat"),
    no_punct=True,
)
more(
    "Both: separated first, then removed.",
    "tokenization punctuation",
    ("the cat, sat (down) 3.5!", "the cat sat down 3.5"),
    normalized=True,
    no_punct=True,
)
more(
    "With support for Asian languages each of their characters is a word.",
    "characters",
    ("今天天气很好", "今天天气真好"),
    normalized=True,
    asian_support=True,
)
more(
    "Full-width punctuation goes with the marks that are removed.",
    "characters punctuation",
    ("今天，天气很好。", "今天天气很好"),
    no_punct=True,
    asian_support=True,
)

# Word error rates of jiwer -------------------------------------------------------------------------

core = of("wer", core=True, measure="wer")
core("Equal texts have WER 0.", "identity", (CAT, CAT))
core("A substitution is one error.", "edits", (SAT, CAT))
core("A missing word is a deletion.", "edits", ("the cat sat on mat and looked at the dog", CAT))
core("An additional word is an insertion.", "edits", (CAT + " again", CAT))
core(
    "Errors are divided by the length of the reference: exchanging the arguments changes the rate.",
    "arguments",
    ("the cat sat on the mat", CAT),
)
core("The rate may exceed 1.", "arguments", (CAT, "the cat"))
core(
    "It is the reference that is compared, not the reference with itself.",
    "arguments zero",
    ("a b c", "d e f"),
)
core(
    "Errors and lengths are summed over segments before the division: it is no mean of rates.",
    "pooling",
    (CAT, CAT),
    ("rain", SHORT),
    (WET, RAIN),
)
core("A segment without output costs one deletion a word.", "empty", ("", RAIN), (CAT, CAT))
core(
    "The cheapest alignment counts, not the comparison place by place.",
    "alignment",
    ("uh the cat sat on the mat", "the cat sat on the mat"),
)
core(
    "Insertions and deletions may be cheaper than substitutions.",
    "alignment",
    ("b c d e", "a b c d"),
)
core(
    "Words in another order are errors: there are no moves.",
    "order",
    ("on the mat the cat sat", "the cat sat on the mat"),
)
core("A repeated word is an insertion.", "multiset", ("the the cat sat", "the cat sat"))
core(
    "Words are no set: a word that occurs elsewhere is still missing.",
    "multiset",
    ("the cat and dog", "the cat and the dog"),
)
core("Case counts.", "case", ("The Cat sat", "the cat sat"))
core("Punctuation belongs to its word.", "punctuation", ("the cat sat.", "the cat sat"))
core("Numbers are not spelled out.", "normalization", ("36 cats", "thirty six cats"))
core("Letters outside of ASCII belong to words.", "unicode", ("über Köln fährt", "über Bonn fährt"))
core("Words in letters outside of ASCII are not empty.", "unicode", ("привет мир", "привет миру"))
core(
    "A composed and a decomposed letter differ.",
    "unicode normalization",
    ("das Caf\u00e9 da", "das Cafe\u0301 da"),
)
core(
    "More than one space and spaces around the text do not make words.",
    "spaces",
    ("  the  cat sat ", "the cat sat"),
)
core("A text without spaces is one word.", "characters", ("今天天气很好", "今天天气真好"))
core("One wrong word among one.", "short", ("yes", "no"))
core("The whole output is one insertion too long at its end.", "edits", (RAIN + " today", RAIN))
core("The start of the output is missing.", "edits", ("on the mat and looked at the dog", CAT))

for measure, text in (
    ("mer", "MER divides by hits and errors, so it never exceeds 1."),
    ("wil", "WIL is 1 minus the product of the shares of hits in reference and hypothesis."),
    ("wip", "WIP is the product of the shares of hits in reference and hypothesis."),
):
    more = of("wer", measure=measure)
    more(text, measure, (SAT, CAT), (WET, RAIN))
    more(
        text + " Here the hypothesis is longer.",
        measure + " arguments",
        (CAT + " for a long time", CAT),
    )
    more(
        text + " Counts are summed over segments.",
        measure + " pooling",
        (CAT, CAT),
        ("rain now", SHORT),
        (WET, RAIN),
    )

# Character error rate of jiwer ---------------------------------------------------------------------

core = of("cer", core=True, measure="cer")
core("Equal texts have CER 0.", "identity", (CAT, CAT))
core("A wrong character is one error.", "edits", ("the cat", "the cut"))
core("A missing character is a deletion.", "edits", ("the ct", "the cat"))
core("An additional character is an insertion.", "edits", ("the caat", "the cat"))
core("Two characters in exchanged order are two errors, not one.", "order", ("teh cat", "the cat"))
core("Spaces within the text count as characters.", "spaces", ("thecat", "the cat"))
core("Spaces around the text do not count.", "spaces", ("  the cat ", "the cat"))
core("Two spaces within the text are two characters.", "spaces", ("the  cat", "the cat"))
core(
    "Errors are divided by the length of the reference: exchanging the arguments changes the rate.",
    "arguments",
    ("the cat sat", "the cat sat on the mat"),
)
core("The rate may exceed 1.", "arguments", ("the cat sat on the mat", "the cat"))
core(
    "It is the reference that is compared, not the reference with itself.",
    "arguments zero",
    ("abc", "def"),
)
core(
    "Errors and lengths are summed over segments before the division: it is no mean of rates.",
    "pooling",
    (CAT, CAT),
    ("no", "yes"),
    (WET, RAIN),
)
core("A segment without output costs one deletion a character.", "empty", ("", "rain"), (CAT, CAT))
core(
    "The cheapest alignment counts, not the comparison place by place.",
    "alignment",
    ("xabcdef", "abcdef"),
)
core("Case counts.", "case", ("The Cat", "the cat"))
core("Punctuation counts.", "punctuation", ("the cat.", "the cat"))
core("A letter outside of ASCII is one character, not two bytes.", "unicode", ("Köln", "Koln"))
core(
    "A character outside of the first plane is one, not two surrogates.",
    "unicode surrogates",
    ("so \U0001f600", "so \U0001f602"),
)
core(
    "A combining mark is a character of its own.",
    "unicode normalization",
    ("Cafe\u0301", "Caf\u00e9"),
)
core(
    "Joined emoji are the code points they consist of.",
    "unicode",
    ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468"),
)
core(
    "Chinese text has an error a character.", "unicode characters", ("今天天气很好", "今天天气真好")
)
core("Arabic vowel marks count.", "unicode", ("كِتَاب", "كتاب"))
core("Hangul syllables are characters; their letters are not.", "unicode", ("한국어", "한굴어"))
core("A right-to-left mark is a character.", "unicode", ("abc\u200f", "abc"))
core("One character.", "short", ("a", "b"))
core("A doubled character is an insertion.", "multiset", ("aab", "ab"))
core(
    "Characters are no set: a missing one is missing, even if it occurs elsewhere.",
    "multiset",
    ("banna", "banana"),
)
core("Digits.", "edits", ("2023-11-05", "2024-11-50"))
core("Words in another order cost their characters.", "order", ("mat the", "the mat"))
core("Several lines of speech.", "pooling", (NEWS, NEWS_3), (SAT, CAT), (SHORT, WET))

# ROUGE of rouge-score ------------------------------------------------------------------------------

for kind in ("rouge1", "rouge2", "rougeL"):
    add = of("rouge", core=True, type=kind)
    add(f"Equal texts have {kind} 1.", "identity", (CAT, CAT))
    add("The score is the F-measure, not recall alone.", "f", (NEWS_2, NEWS))
    add(
        "Precision and recall differ; exchanging the arguments exchanges them.",
        "arguments",
        ("the cat sat", CAT),
    )
    add(
        "N-grams or words count as often as they occur, clipped by the other text.",
        "multiset clipping",
        ("the the the cat the cat", "the cat the cat sat on the mat"),
    )
    add("Texts without a common word have score 0.", "zero", ("a b c", "d e f"))
    add("An empty hypothesis has score 0 and does not divide by 0.", "empty zero", ("", CAT))
    add(
        "The score of a corpus is the mean of its segments' scores, unlike that of BLEU.",
        "mean",
        (CAT, CAT),
        (WET, RAIN),
        (SHORT, "rain"),
    )

core = of("rouge", core=True, type="rougeL")
core(
    "ROUGE-L counts the longest common subsequence, which may have gaps.",
    "subsequence",
    ("police killed the gunman", "police the gunman caught and killed"),
)
core(
    "Words in another order do not count twice.",
    "subsequence order",
    ("the gunman police killed", "police killed the gunman"),
)
core(
    "Two subsequences of equal length give the same score.",
    "subsequence",
    ("a b x c d", "c d a b y"),
)

more = of("rouge", type="rouge1")
more("Text is lowercased.", "case", ("The CAT sat", "the cat sat"))
more(
    "Punctuation separates words and is dropped.",
    "tokenization punctuation",
    ("it's the dog's-bone, ok.", "it s the dog s bone ok"),
)
more(
    "Only a to z and 0 to 9 make words: other letters separate them.",
    "tokenization unicode ascii",
    ("Über Köln fährt", "ber K ln f hrt"),
)
more(
    "Text in other letters has no word at all, so its score is 0.",
    "tokenization unicode ascii zero",
    ("привет мир", "привет мир"),
)
more(
    "A number with a point is two words.",
    "tokenization numbers",
    ("3.14 and 1,000", "3 14 and 1 000"),
)
more("An underscore separates words.", "tokenization", ("snake_case", "snake case"))
more("With several references the best F-measure counts.", "references", (SAT, [RAIN, CAT]))
more("Words are not stemmed by default.", "stemming", ("cats were running", "cat was run"))
more(
    "With stemming, words of more than three letters are stemmed, shorter ones are not.",
    "stemming",
    ("cats were running to the bus as usual", "cat was run to the buses as usually"),
    stemmer=True,
)
more(
    "Stemming is that of Porter with NLTK's extensions.",
    "stemming",
    ("skies died lying happily universities", "sky die lie happy university"),
    stemmer=True,
)
more = of("rouge", type="rouge2")
more("A text of one word has no pair of words.", "short", ("cat", "cat"))
more("Pairs of words do not skip a word.", "order", ("the big cat sat", "the cat sat"))
more = of("rouge", type="rougeLsum")
more(
    "ROUGE-Lsum takes lines as sentences, and unites their subsequences for each sentence of the reference.",
    "sentences",
    ("the cat sat\nthe dog ran\nit rained", "the dog ran\nthe cat sat down\nit was raining"),
)
more("Without line breaks ROUGE-Lsum is ROUGE-L.", "sentences", (NEWS_3, NEWS))
more(
    "A word of the hypothesis is used once in ROUGE-Lsum, over all sentences.",
    "sentences clipping",
    ("the cat", "the cat\nthe cat\nthe cat"),
)
more = of("rouge", type="rouge3")
more("Triples of words.", "order", (SAT, CAT))
more(
    "With several references the best is chosen for each segment before the mean.",
    "references mean",
    (SAT, [RAIN, CAT]),
    (WET, [RAIN, CAT]),
)

# BLEU of NLTK --------------------------------------------------------------------------------------

core = of("nltk_bleu", core=True, smoothing="method0")
core("Equal texts have BLEU 1: it is a fraction, not a percentage.", "identity units", (CAT, CAT))
core("Precisions of four orders, geometric mean.", "mean", (SAT, CAT))
core(
    "References come first in NLTK's arguments; exchanging them changes the score.",
    "arguments",
    (CAT, CAT + " for a long time"),
)
core(
    "Words counts are clipped by the reference that has most of a word.",
    "clipping references",
    ("a a a a b c d e f", ["a a b c d e f g h", "b c d e f a a i j"]),
)
core(
    "Of two references equally close in length, the shorter counts.",
    "closest ties references",
    (
        "the cat sat on the mat today",
        ["the cat sat on the mat today again now", "the cat sat on mats"],
    ),
    (SAT, [CAT]),
)
core(
    "The closest length counts, not the shortest.",
    "closest references",
    (CAT, ["the cat sat", CAT + " outside"]),
)
core(
    "Counts are summed over segments before the division.",
    "pooling",
    (CAT, CAT),
    (WET, RAIN),
    (SHORT + " today", "it was raining"),
)
core(
    "A segment shorter than the order counts as one n-gram without a match, unlike in sacrebleu.",
    "short",
    (SHORT, SHORT),
    (SAT, CAT),
)
core(
    "A segment without output counts with the length of its reference.",
    "empty brevity",
    ("", RAIN),
    (CAT, CAT),
)
core("Texts without a common word have BLEU 0.", "zero", ("a b c d e", "f g h i j"))
core(
    "An order without a match makes the score tiny, but not 0, without smoothing.",
    "zero",
    ("the dog sat on the cat", "the cat sat on the dog"),
)
core(
    "Repeated n-grams of the hypothesis count each time.",
    "multiset",
    (
        "row row row your boat gently down the stream row row row",
        "row row row your boat gently down the river row row row",
    ),
)
core("Different n-grams may match different references.", "references", (NEWS_3, [NEWS, NEWS_2]))
core("Weights other than 1/4.", "weights", (SAT, CAT), weights=[0.4, 0.3, 0.2, 0.1])
core("Weights of two orders.", "weights order", (SAT, CAT), (WET, RAIN), weights=[0.5, 0.5])
core("Weights that do not sum to 1 are taken as they are.", "weights", (SAT, CAT), weights=[1, 1])
core(
    "The weight of words alone.",
    "weights clipping",
    ("the the the the the the the", "the cat is on the mat"),
    weights=[1],
)
core("Case counts.", "case", ("The Cat sat on the mat and looked at the dog", CAT))
core(
    "Brevity penalty of the corpus, not of segments.",
    "pooling brevity",
    ("the cat sat on the mat", CAT),
    (RAIN + " and also in the south", RAIN),
)
core(
    "Letters outside of ASCII belong to words.",
    "unicode",
    ("der Zug über Köln fährt heute früher ab", "der Zug über Köln fährt heute später ab"),
)
more = of("nltk_bleu")
BAD = ("the dog sat on the cat", "the cat sat on the dog")
more(
    "Method 1 adds epsilon to matches of orders without a match.",
    "smoothing",
    BAD,
    smoothing="method1",
)
more("The epsilon of method 1 is an option.", "smoothing", BAD, smoothing="method1", epsilon=0.01)
more(
    "Method 2 adds 1 to matches and totals of all orders but the first.",
    "smoothing",
    BAD,
    smoothing="method2",
)
more(
    "Method 3 halves the replacement at each order without a match.",
    "smoothing",
    BAD,
    smoothing="method3",
)
more(
    "Method 4 divides the replacement by the logarithm of the length.",
    "smoothing",
    BAD,
    smoothing="method4",
)
more("Method 5 averages matches of neighbouring orders.", "smoothing", BAD, smoothing="method5")
more(
    "Method 6 interpolates with a prior from the two orders before.",
    "smoothing",
    (SAT, CAT),
    smoothing="method6",
)
more("Method 7 applies 4 and 5.", "smoothing", BAD, smoothing="method7")
more(
    "Smoothing is of the corpus' counts, once.",
    "smoothing pooling",
    (SAT, CAT),
    BAD,
    (WET, RAIN),
    smoothing="method2",
)
more(
    "Weights of fewer orders for a short text, if asked for.",
    "weights short",
    ("it rained", "it rained"),
    smoothing="method1",
    auto_reweigh=True,
)
more(
    "Method 3 in a text with two orders without a match.",
    "smoothing",
    ("the dog and on it the cat", "the cat sat on a dog"),
    smoothing="method3",
)
more("Method 1 in a short text.", "smoothing short", ("the cat", "the cat"), smoothing="method1")

# GLEU, NIST and RIBES of NLTK ----------------------------------------------------------------------

PLAIN: list[tuple[str, str, list[Any]]] = [
    ("Equal texts have the best score.", "identity", [(CAT, CAT)]),
    ("One wrong word.", "edits", [(SAT, CAT)]),
    ("Exchanging the arguments matters; here the hypothesis is shorter.", "arguments", [("the cat sat on the mat", CAT)]),
    ("Exchanging the arguments matters; here the hypothesis is longer.", "arguments", [(CAT + " for a long time", CAT)]),
    ("A repeated word counts as often as the reference has it.", "clipping multiset",
     [("the the the cat sat on the mat", "the cat sat on the mat again")]),
    ("Texts without a common word have the worst score.", "zero", [("a b c d e", "f g h i j")]),
    ("Case counts.", "case", [("The Cat sat on the mat", "the cat sat on the mat")]),
    ("Words in another order.", "order", [("on the mat the cat sat", "the cat sat on the mat")]),
    ("Words in reversed order.", "order", [("mat the on sat cat the", "the cat sat on the mat")]),
    ("Two segments of different length.", "pooling", [(SAT, CAT), (SHORT + " today", "it was raining today")]),
    ("Three segments, one of them equal to its reference.", "pooling", [(CAT, CAT), (WET, RAIN), (NEWS_2, NEWS)]),
    ("A segment without a match among others.", "pooling zero", [(CAT, CAT), ("we do not know", "nobody has told me")]),
    ("Two references.", "references", [(NEWS_3, [NEWS, NEWS_2])]),
    ("Two references in the other order.", "references", [(NEWS_3, [NEWS_2, NEWS])]),
    ("Two references of which the second equals the hypothesis.", "references identity", [(SAT, [RAIN, SAT])]),
    ("A reference twice.", "references", [(SAT, [CAT, CAT])]),
    ("References of very different length.", "references closest", [(CAT, ["the cat sat", CAT + " there", CAT + " there for days"])]),
    ("Several segments with several references.", "references pooling", [(NEWS, [NEWS_2, NEWS_3]), (WET, [RAIN, "it rained all day"])]),
    ("Letters outside of ASCII.", "unicode", [("der Zug über Köln fährt heute früher", "der Zug über Köln fährt heute später")]),
    ("A composed and a decomposed letter differ.", "unicode normalization", [("das Caf\u00e9 ist heute zu", "das Cafe\u0301 ist heute zu")]),
    ("Punctuation marks are words.", "punctuation", [("the cat sat , on the mat .", "the cat sat on the mat .")]),
    ("More than one space between words.", "spaces", [("the  cat sat\ton the mat", "the cat sat on the mat")]),
    ("Words that occur several times in both texts.", "multiset order",
     [("to be or not to be that is to be", "to be or not to be this is to be")]),
    ("A long text with a part moved.", "order", [(NEWS_3, NEWS)]),
    ("A word more at the start.", "edits", [("well " + CAT, CAT)]),
    ("A word less at the end.", "edits brevity", [(CAT.removesuffix(" dog"), CAT)]),
    ("Numbers are words.", "edits", [("in 2023 there were 15 of them", "in 2024 there were 15 of them")]),
]  # fmt: skip
for name in ("nltk_gleu", "nltk_nist", "nltk_ribes"):
    core = of(name, core=True)
    for reason, tags, segments in PLAIN:
        core(reason, tags, *segments)
core = of("nltk_gleu", core=True)
core(
    "GLEU divides by the larger number of n-grams: it is the smaller of precision and recall.",
    "f",
    ("the cat", "the cat sat"),
)
core("N-grams of one to four words are counted together.", "order", ("a b c d e", "a b x d e"))
core(
    "The reference with the highest ratio counts for each segment.",
    "references",
    ("a b c", ["a b", "a b c d e f g h"]),
)
core("Two words at most.", "order", (SAT, CAT), max_len=2)
core("Pairs and triples.", "order", (SAT, CAT), min_len=2, max_len=3)
core = of("nltk_nist", core=True)
core(
    "Information of n-grams comes from all references of the corpus.",
    "information",
    (SAT, CAT),
    (WET, RAIN),
    (NEWS_2, NEWS),
)
core(
    "The length penalty is NIST's: one half at two thirds of the length.",
    "brevity",
    ("the cat sat on the mat and", CAT),
)
core("A hypothesis that is longer has no penalty.", "brevity", (CAT + " there", CAT))
core("Three orders.", "order", (SAT, CAT), max_order=3)
core("One order.", "order", (SAT, CAT), max_order=1)
core = of("nltk_ribes", core=True)
core(
    "RIBES counts pairs in the right order, normalized to 0 to 1.",
    "rank",
    ("the mat the cat sat on", "the cat sat on the mat"),
)
core("alpha weights the precision of words.", "precision", (SAT, CAT), alpha=0.5)
core("beta weights the brevity penalty.", "brevity", ("the cat sat on the mat", CAT), beta=0.5)
core(
    "A word that occurs twice is aligned by its neighbours.",
    "rank multiset",
    ("the cat and the dog sat", "the dog and the cat sat"),
)
