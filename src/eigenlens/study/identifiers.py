"""What the name of a column says about whole numbers in it: that they name things, and do not measure them."""

from __future__ import annotations

import re

INDEX = re.compile(r"(unnamed:? ?\d*|__index_level_\d+__|index|row[ _.]?(names?|numbers?|id)?)", re.IGNORECASE)
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
IDENTIFIERS = frozenset({"id", "ids", "identifier", "uuid", "guid", "ssn", "isbn", "barcode", "idno", "idnum"})
FOLLOWERS = frozenset({"number", "num", "no", "nr", "code", "ref", "key"})  # of "id": an id number is an id


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: What rows are taken of, several of one: rows of one chick are not independent of each other.
UNITS = _set(
    "subject subj patient participant respondent individual animal chick rat mouse pig plot tree litter cluster "
    "specimen monkey plate"
)
#: What may be numbered; alone, such a name may be that of a measurement: `school` is often the years in one.
THINGS = UNITS | _set(
    "person child pupil student school class classroom teacher hospital doctor clinic dog cow cat bird fish plant "
    "batch family household village firm company worker judge rater panelist customer client user account lot case "
    "player team station county district sample record"
)
CODES = _set("zip zipcode postcode postal plz fips icd sic naics iso")  # of places and things, in no order
#: Kinds that are often written as numbers.
KINDS = _set(
    "race sex gender ethnicity ethnic religion region country state county type kind category cat class species group "
    "treatment treat trt arm occupation occup job industry brand colour color status marital site center centre"
)
YEARS = _set("year years yr yyyy")
FREQUENCIES = _set("freq freqs frequency frequencies count counts f n")
SURVEY_WEIGHTS = _set("weights wgt wght pweight fweight pwt finalwgt fnlwgt sampweight sampwt perwt")
#: Of running numbers. Days, visits and periods run and restart too, and measure time.
RUNNING = _set("index idx no nr num number obs observation row record seq sequence serial counter enum")
FIRST_YEAR, LAST_YEAR = 1500, 2100


def is_index(name: str) -> bool:
    """Tell whether a name is one that programs give the index of a table which had no name."""
    return INDEX.fullmatch(name.strip()) is not None


def is_running(name: str) -> bool:
    """Tell whether a name is that of a running number: `index`, `obs`, `Nr`, `seq_no`."""
    words = _words(name)
    return bool(words) and all(word in RUNNING for word in words)


def is_identifier(name: str) -> bool:
    """Tell whether a name says that its column identifies something: `ID`, `patient_id`, `SubjectID`, `schoolNR`."""
    words = _words(name)
    numbered = len(words) > 1 and words[-1] in FOLLOWERS and words[-2] in THINGS
    while len(words) > 1 and words[-1] in FOLLOWERS:
        words.pop()
    return numbered or (bool(words) and words[-1] in IDENTIFIERS)


def is_unit(name: str) -> bool:
    """Tell whether a name is that of a thing of which there are several rows: `Subject`, `Chick`."""
    words = _words(name)
    return bool(words) and words[-1] in UNITS


def is_code(name: str) -> bool:
    """Tell whether a name is that of codes whose order means nothing: `zip`, `Postcode`, `industry_code`."""
    words = _words(name)
    return bool(set(words) & CODES) or (len(words) > 1 and words[-1] in ("code", "codes"))


def is_kind(name: str) -> bool:
    """Tell whether a name is that of kinds that are often written as numbers: `race`, `marital_status`."""
    words = _words(name)
    return bool(words) and words[-1] in KINDS


def is_year(name: str) -> bool:
    """Tell whether a name is that of years."""
    words = _words(name)
    return bool(words) and words[-1] in YEARS


def is_frequency(name: str) -> bool:
    """Tell whether a name says how often a row occurred."""
    words = _words(name)
    return len(words) == 1 and words[0] in FREQUENCIES


def is_survey_weight(name: str) -> bool:
    """Tell whether a name is that of weights of a sample."""
    words = _words(name)
    sampled = len(words) > 1 and words[-1] in ("weight", "weights", "wt", "wgt")
    of_sample = sampled and words[0] in ("sampling", "sample", "survey", "case", "prior", "design")
    return "".join(words) in SURVEY_WEIGHTS or of_sample


def _words(name: str) -> list[str]:
    return [word.lower() for word in WORD.findall(name) if not word.isdigit()]
