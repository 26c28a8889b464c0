"""Words that carry no content, in the languages that Munin's users write: they neither search nor are searched for."""

from collections.abc import Collection
from enum import Enum, auto


class Language(Enum):
    ENGLISH = auto()
    GERMAN = auto()
    SPANISH = auto()
    FRENCH = auto()


_ENGLISH = """
    a about after again ah all already also always am an and another any anything are as ask at away back be because
    been before being both but by call called came can cannot come could d did do does doing don done each either else
    even ever every everything few for from gave get gets give go goes going gonna good got great had has have having he
    hello help helped helps her here hers hey hi him his how i if in instead into is it its itself just know let like ll
    lot m made make makes many may maybe me mean might mine more most much must my myself need never no not nothing now
    of off oh ok okay on once one only or other our ours out over own please put re really remember right s said same
    saw say says see seem shall she should since so some someone something still such sure take tell than thank thanks
    that the their theirs them then there these they thing things think this those though through to told too took tried
    try up us use used very want was way we well went were what whatever when where whether which while who whom whose
    why will with without would yeah yes yet you your yours yourself
"""
_GERMAN = """
    ab aber alle als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein deine dem den der des dich die dir
    doch dort du ein eine einem einen einer eines er es euch euer für gab gehabt gewesen gibt habe haben hat hatte hatten hier
    ich ihm ihn ihr ihre im in ist ja jetzt kann kannst kein keine können man mein meine meinem meinen meiner mich mir mit muss
    nach nicht noch nun nur ob oder schon sein seine sich sie sind so über um und uns unser unsere unter vom von vor wann war
    waren warst warum was welche welchem welchen welcher welches wem wen wer werden wie wieder will wir wird wo woher wohin
    wurde zu zum zur
"""
_SPANISH = """
    a al algo ante antes aquí como cómo con cual cuál cuales cuáles cuando cuándo cuánto de del desde donde dónde el él ella ellas
    ellos en era es esa ese eso esta está están estar este esto estoy fue fui ha había han has hay he la las le les lo los más me
    mi mis mucho muy nada ni no nos nosotros o para pero por porque qué que quien quién se sea ser si sí sin sobre son soy su sus
    también te tengo tiene tienes tu tú tus un una unas uno unos y ya yo
"""
_FRENCH = """
    ai as à au aussi aux avais avait avec avez avoir c ce ces cet cette comment d dans de des donc du elle elles en es est et
    étais était être eu fait il ils j je l la le les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou où par
    pas plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se ses si son sont suis sur t ta te tes
    toi ton tu un une vos votre vous y
"""
_STOP_WORDS = {
    Language.ENGLISH: frozenset(_ENGLISH.split()),
    Language.GERMAN: frozenset(_GERMAN.split()),
    Language.SPANISH: frozenset(_SPANISH.split()),
    Language.FRENCH: frozenset(_FRENCH.split()),
}


def languages_of(words: Collection[str]) -> tuple[Language, ...]:
    """Those that most of the given words, lower-cased, are stop words of. Several in doubt, all where there is no stop word."""
    counts = {language: sum(word in listed for word in words) for language, listed in _STOP_WORDS.items()}
    most = max(counts.values())
    return tuple(language for language, count in counts.items() if count == most)


def stop_words_of(language: Language) -> frozenset[str]:
    """Never of all languages at once: “die”, “war” and “son” carry content in one and none in another."""
    return _STOP_WORDS[language]
