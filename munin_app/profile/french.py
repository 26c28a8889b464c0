"""French."""

import re

from munin_app.profile.language import Guard, Language, Splitter
from munin_app.profile.plain import Entry, Words, describer, rules
from munin_app.profile.words import word_set

_ADV = (
    r"(?:(?:aussi|vraiment|très|actuellement|maintenant|toujours|encore|déjà|juste|surtout|beaucoup|bien|plutôt|strictement"
    r"|totalement|trop|plus|depuis \w+ \w+|depuis \d+|ici|en ce moment|un peu|désormais"
    r"|même|également|d'origine|originaire|particulièrement|absolument|énormément|presque|seulement)\s+)*"
)
_I = r"(?:je\s+|j'|nous\s+|on\s+)"
_AM = rf"(?:je\s+suis|j'suis|chuis|on est|nous sommes)\s+{_ADV}"
_HAVE = rf"(?:j'ai|on a|nous avons)\s+{_ADV}"
_NOT = r"(?:je\s+n['e]\s?|j'|je\s+)"
_KIN = (
    r"(?:femme|mari|épouse|époux|copine|copain|compagne|compagnon|fiancée?|mère|père|maman|papa|sœur|soeur|frère|fils|fille"
    r"|grand-mère|grand-père|tante|oncle|nièce|neveu|cousine|cousin|chien|chienne|chat|chatte|chaton|chiot"
    r"|lapin|cheval|perroquet|hamster|meilleure? amie?|amie|ami|patronne|patron|cheffe|chef|collègue|voisine?|bébé|belle-mère"
    r"|beau-père|belle-sœur|beau-frère|petite sœur|petit frère|grande sœur|grand frère|colocataire|coloc|tortue|jumelle|jumeau)"
)
_KINS = (
    r"(?:enfants?|fils|filles?|chats?|chiens?|chiennes?|chattes?|chatons?|frères?|sœurs?|soeurs?|petits-enfants|chevaux"
    r"|cheval|lapins?|poules|jumeaux|jumelles|garçons?|perroquets?|hamsters?|tortues?|poissons)"
)
_COUNT = r"(?:une?|deux|trois|quatre|cinq|six|\d{1,2})"
_NAME = r"[A-ZÀÂÉÈÊËÎÏÔÛÜÇŒ][\wàâéèêëîïôûüçœ'-]*(?: [A-ZÀÂÉÈÊËÎÏÔÛÜÇ][\wàâéèêëîïôûüçœ'-]*){0,2}"
_MONTH = r"(?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)"
_DATE = rf"(?:\d{{1,2}}|1er) {_MONTH}(?: \d{{4}})?"

W = Words(
    cut=re.compile(
        r"(?i)\s*,?\s*\b(?:parce qu\w*|car|mais|bien que|puisque|alors|donc|si|quand|lorsque|merci|s'il te plaît|stp|svp"
        r"|pendant|depuis|à cause|et (?:je|j'|mon|ma|mes|il|elle|on|nous|ça|le|c'est|que|maintenant)|ce qui|où|dont|qui (?:me"
        r"|est|sont))\b"
        r"|\s*,?\s*\bet (?=j'|c'|qu')"
    ),
    trailing=re.compile(
        r"(?i)[\s,]+(?:beaucoup|aussi|maintenant|actuellement|etc|surtout|et|ou|en ce moment|non plus|du tout|trop|vraiment"
        r"|toujours|avec m(?:a|on|es) \w+|de métier|de profession|l'an dernier|l'année dernière|aujourd'hui|en général|énormément"
        r"|bien|récemment|à la base|d'origine)[\s.,]*$"
    ),
    transient=word_set(
        "aujourd'hui demain hier maintenant ce cette ces cet ton ta tes votre vos ici ceci cela erreur exercice devoir"
    ),
    no_taste=word_set(
        "ça cela ceci ce cet cette ces ton ta tes te toi vous votre vos que quand comment si pas tout rien lui il elle eux "
        "savoir dire être quoi mieux bien trop beaucoup ne"
    ),
    village=re.compile(
        "(?i)(?:un|une) (?:\\w+ )?(?:village|ville|hameau|île|ferme|banlieue)(?: \\w+)? (?:près|en|de|dans|à|du|au|d')"
    ),
    no_place=word_set(
        "vacances bureau travail lit maison paix peur colère retard mal aise bout courant situation réunion train problème "
        "monde moment passé mon ton un une l'aise attente ligne panne forme difficulté"
    ),
    no_name=word_set(
        "pas très un une le la que de si bien mal nouveau nouvelle là ici désolé désolée content contente fatigué fatiguée en "
        "sûr sûre prêt"
    ),
    jobs=re.compile(
        r"(?:médecin|docteur|infirmi(?:er|ère)|professeure?|prof|enseignante?|institut(?:eur|rice)|ingénieure?|avocate?"
        r"|serveu(?:r|se)|cuisini(?:er|ère)|boulang(?:er|ère)|architecte|journaliste|étudiante?|polici(?:er|ère)|pompi(?:er|ère)"
        r"|designer|graphiste|programmeu(?:r|se)|développeu(?:r|se)|comptable|électricienn?e?|menuisi(?:er|ère)"
        r"|mécanicienn?e?|plombi(?:er|ère)|psychologue|pharmacienn?e?|vétérinaire|dentiste|musicienn?e?|peintre|écrivaine?"
        r"|traduct(?:eur|rice)"
        r"|photographe|act(?:eur|rice)|chant(?:eur|euse)|coiffeu(?:r|se)|secrétaire|vendeu(?:r|se)|chauffeu(?:r|se)"
        r"|agricult(?:eur|rice)|économiste|biologiste|chimiste|physicienn?e?|scientifique|chercheu(?:r|se)|maçon|soudeu(?:r|se)"
        r"|jardini(?:er|ère)|hôtesse|pilote|juge|notaire|consultante?|gérante?|direct(?:eur|rice)|caissi(?:er|ère)"
        r"|réceptionniste|kinésithérapeute|kiné|thérapeute|sage-femme|bibliothécaire|guide|chef|barista|analyste"
        r"|technicienn?e?|ouvri(?:er|ère)"
        r"|retraitée?|indépendante?|auto-entrepreneu(?:r|se)|entrepreneu(?:r|se)|fonctionnaire|militaire|soldat|marin"
        r"|pêcheu(?:r|se)|coutur(?:ier|ière)|nounou|assistante?|aide-soignante?|fleuriste|pâtissi(?:er|ère)|bouch(?:er|ère)"
        r"|facteu?r?(?:rice)?"
        r"|libraire|opticienn?e?|ostéopathe|orthophoniste|illustrat(?:eur|rice)|doctorante?|lycéenn?e?|collégienn?e?"
        r"|apprentie?|chômeu(?:r|se)|freelance|éducat(?:eur|rice)|animat(?:eur|rice)|vigneronn?e?|géologue)"
    ),
    languages=word_set(
        "français anglais espagnol allemand italien portugais arabe chinois mandarin japonais coréen russe polonais roumain "
        "grec néerlandais suédois norvégien danois finnois turc hébreu hindi breton basque catalan occitan corse latin"
        " ukrainien tchèque hongrois croate espéranto kabyle berbère wolof créole vietnamien alsacien lingala bambara"
    ),
    joiners=re.compile(r"(?i)\s*(?:,|/|&|\bet\b|\bainsi que\b)\s*"),
    degree=re.compile(
        r"(?i)^(?:(?:un peu de?|un peu d'|couramment|bien|très bien|aussi|le|l'|du|quelques mots de|parfaitement)\s*)+(?=\w)"
    ),
    mine=(
        (re.compile(r"(?i)\bmes\b"), "ses"),
        (re.compile(r"(?i)\bmon\b"), "son"),
        (re.compile(r"(?i)\bma\b"), "sa"),
        (re.compile(r"(?i)\bnotre\b"), "leur"),
        (re.compile(r"(?i)\bme\b"), "se"),
        (re.compile(r"(?i)\bm'"), "s'"),
    ),
)


def _note(sentence: str) -> str | None:
    """ "ma voiture est rouge" is "Voiture est rouge"; "je suis gaucher" is "Est gaucher"."""
    sentence = " ".join(sentence.split())
    if re.match(r"(?i)(?:tu|ton|ta|tes|vous|quand|si|de|d'|l'utilisateur)\b", sentence) or len(sentence.split()) < 2:
        return None
    sentence = re.sub(r"(?i)^(?:mon|ma|mes|notre|nos) ", "", sentence)
    for first, third in (("je ne suis", "n'est"), ("je suis", "est"), ("j'ai", "a"), ("je n'ai", "n'a"), ("je vais", "va"),
    ("je fais", "fait"), ("je peux", "peut"), ("je ne peux", "ne peut"),
                         ("je prends", "prend"), ("je dois", "doit"), ("je me", "se"), ("je ne", "ne"), ("je", ""), ("j'",
                          "")):  # fmt: skip
        sentence, count = re.subn(rf"(?i)^{first}(?:\b|(?<=')) ?", third + " ", sentence, count=1)
        if count:
            break
    sentence = sentence.strip()
    return W.third(sentence[:1].upper() + sentence[1:])


def _wish(value: str) -> str | None:
    value = W.lasting(value) or ""
    soon = re.search(r"(?i)\b(?:aujourd'hui|demain|bientôt|ce|cette|semaine|prochaine?)\b", value)
    return value if _LASTING.match(value) and not soon else None


_LASTING = re.compile(
    r"(?i)(?:apprendre|courir|devenir|acheter (?:une|un) (?:maison|appartement|bateau|terrain)|écrire un|ouvrir (?:mon|ma|un"
    r"|une)|monter (?:mon|ma|un|une)|arrêter de|perdre|maigrir|économiser|voyager|déménager|m'installer|étudier|émigrer|me marier"
    r"|se marier|finir (?:mon|ma)|améliorer mon|obtenir|passer (?:mon|le|ma)|vivre (?:en|à|au)|travailler (?:en|à|comme|dans)"
    r"|publier|construire|prendre ma retraite|visiter|gravir|adopter|manger (?:moins|plus|mieux)|lire plus|faire (?:le tour"
    r"|un marathon|une thèse)|créer (?:mon|ma|une))\b"
)
_MUSIC = (
    r"(?:du piano|de la guitare|du violon|de la batterie|de la basse|de la flûte|du saxophone|du saxo|de la trompette|du "
    r"violoncelle|de la harpe|de l'accordéon|du ukulélé|de la clarinette|de l'orgue)"
)
_SPORTS = (
    r"(?:au tennis|au foot|au football|au basket|au volley|au golf|aux échecs|au rugby|au handball|au badminton|au "
    r"ping-pong|au hockey|à la pétanque|au bridge)"
)
TABLE: tuple[Entry, ...] = (
    ("name", "name", r"(?:je m'appelle|j'm'appelle|moi,? c'est) (?P<value>.+)", "S'appelle {}", W.name),
    ("name", "name", r"mon (?:pré)?nom(?: complet)?,? (?:est|c'est) (?P<value>.+)", "S'appelle {}", W.name),
    ("called", "name", r"(?:appelle-moi|appelez-moi|tu peux m'appeler|on m'appelle|mes amis m'appellent|tout le monde "
     r"m'appelle) (?P<value>.+)", "On l'appelle {}", W.name),
    ("bare", "name", rf"(?i:je suis )(?P<value>{_NAME})(?=$|,|\s+(?:et|de)\b)", "S'appelle {}", lambda value: _bare_name(value)),
    ("age", "age", rf"{_HAVE}(?P<value>\d{{1,3}}|[a-zé]+(?:-[a-z]+)*) ans\b", "A {} ans", str),
    ("age", "age", r"(?:je viens d'avoir|je vais avoir|j'aurai bientôt|j'aurai|je fête mes) (?P<value>\d{1,3}) ans",
     "Aura {} ans", str),
    ("birthday", "birthday", rf"(?:mon anniversaire est|mon anniversaire c'est|je suis née?|je fête mon anniversaire) le "
     rf"(?P<value>{_DATE})", "Anniversaire le {}", str),
    ("birthday", "birthday", r"je suis née? en (?P<value>(?:19|20)\d\d)", "Est né en {}", str),
    ("location", "location", rf"{_I}(?:habite|vis|réside|loge|habitons|vivons) {_ADV}(?:à|au|aux|en|dans|sur)\s(?P<value>.+)",
     "Habite à {}", W.place),
    ("location", "location", rf"{_I}(?:habite|vis|habitons|vivons) {_ADV}(?:près de |près d'|à côté de |non loin de "
     rf")(?P<value>.+)", "Habite près de {}", W.place),
    ("location", "location", r"(?:j'ai|on a|nous avons) (?:récemment )?(?:déménagé|emménagé) (?:\w+ment )?(?:à|au|aux|en"
     r"|dans)\s(?P<value>.+?)(?= (?:l'|il y a|en|pour|avec|depuis|le|la|cette)\b|(?: l'an)|$)", "Habite à {}", W.place),
    ("location", "location", r"je (?:viens de (?:déménager|m'installer)|me suis installée?) (?:à|au|aux"
     r"|en)\s(?P<value>.+?)(?= (?:l'|il y a|pour|avec|depuis)\b|$)", "Habite à {}", W.place),
    ("location", "location", rf"{_AM}(?:basée?|installée?) (?:à|au|aux|en) (?P<value>.+)", "Habite à {}", W.place),
    ("origin", "origin", rf"(?:je viens|{_AM}originaire) (?:de la |de l'|du |des |de |d')(?P<value>(?!\w+er\b).+)", "Vient de {}",
     W.place),
    ("origin", "origin", rf"(?:{_AM}née?|j'ai grandi|{_AM}née? et j'ai grandi) (?:à|au|aux|en|dans) (?:le |la "
     rf"|l')?(?P<value>(?!\d).+)", "A grandi à {}", W.place),
    ("origin", "origin", rf"{_AM}(?P<value>français[e]?|belge|suisse|québécois[e]?|canadienn?e?|algérienn?e?|marocaine?"
     rf"|tunisienn?e?|sénégalais[e]?|camerounais[e]?|ivoirienn?e?|italienn?e?|espagnole?|portugais[e]?|allemande?"
     rf"|polonais[e]?|roumaine?|bretonn?e?"
     r"|libanais[e]?|congolais[e]?|haïtienn?e?|vietnamienn?e?|anglais[e]?|corse|turque?|brésilienn?e?|malienn?e?)(?=$|,|\s)",
     "Est {}", str),
    ("job", "job", rf"{_I}(?:travaille|bosse) {_ADV}(?:comme|en tant que) (?P<value>.+?)(?= (?:à|au|dans|depuis|chez|pour|le"
     rf"|la|les|en)\b|$)", "Travaille comme {}", W.any_job),
    ("job", "job", rf"{_AM}(?:une? )?(?:ancienn?e? |jeune )?(?P<value>.+)", "Est {}", W.job),
    ("job", "job", r"(?:en tant que|comme) (?P<value>[\w-]+),? (?:je|j')", "Est {}", W.job),
    ("job", "job", r"mon (?:métier|travail|boulot)(?: est| c'est)(?: d'être)? (?P<value>.+)", "Est {}", W.job),
    ("job", "job", rf"(?:j'étudie|je fais des études (?:de |d'|en ))\s?{_ADV}(?P<value>.+?)(?= (?:à|au|dans|en|depuis)\b|$)",
     "Étudie {}", lambda value: _study(value)),
    ("job", "job", rf"j'enseigne {_ADV}(?P<value>.+?)(?= (?:à|au|dans|en)\b|$)", "Enseigne {}", W.lasting),
    ("job", "job", rf"{_AM}(?P<value>au chômage|à la retraite|en congé (?:maternité|parental|paternité)|à mon compte|sans "
     rf"emploi)", "Est {}", W.third),
    ("employer", "employer", rf"{_I}(?:travaille|bosse) {_ADV}(?:chez|pour|à la|à l'|au|dans) ?(?:la (?=[A-Z])|le (?=[A-Z])"
     rf"|l'(?=[A-Z]))?(?P<value>(?!moi|distance|domicile|ça|cela|mon|temps|nuit).+)", "Travaille chez {}",
     lambda value: _employer(value)),
    ("employer", "employer", r"(?:je suis|je travaille comme) (?:une? )?[\w-]+ (?:chez|pour|dans) (?P<value>.+)",
     "Travaille chez {}", lambda value: _employer(value)),
    ("kin", "relationship", rf"(?i:(?:mon|ma|notre) (?P<who>{_KIN})(?: s'appelle|,| c'est| est)? )(?P<value>{_NAME})(?=$|[,.]"
     rf"|\s)", "{who} s'appelle {}", W.proper),
    ("kin named", "relationship", rf"(?i:(?:j'ai|on a|nous avons|j'ai adopté|on a adopté|je viens d'adopter|on vient "
     rf"d'adopter) (?:adopté )?(?P<who>une? (?:\w+ )?{_KIN})(?: qui s'appelle| nommée?| appelée?|,) )(?P<value>{_NAME})",
     "A {who} qui s'appelle {}", W.proper),
    ("kins", "relationship", rf"{_HAVE}(?P<value>{_COUNT} (?:\w+ )?{_KINS}(?:(?:,| et) {_COUNT} (?:\w+ )?{_KINS})*)(?=$|[,.]|\s)",
     "A {}", str),
    ("no kins", "relationship", r"(?:je n'ai|j'ai) pas d'?(?:e )?(?P<value>enfants?|frères et sœurs|animaux)", "N'a pas d'{}",
     str),
    ("state", "relationship", rf"{_AM}(?P<value>mariée?|divorcée?|célibataire|veuve?|veuf|pacsée?|fiancée?|séparée?|(?:mère"
     rf"|père) célibataire|(?:mère|père) de \w+(?: enfants)?|(?:fils|fille) unique|enfant unique)(?=$|[,.]|\s)", "Est {}", str),
    ("diet", "diet", rf"{_AM}(?:une? )?(?P<value>végétarienn?e?|végétaliens?|végane?|vegan|cœliaque|diabétique|intolérante? "
     rf"(?:au|à la|à) [\w ]+?|pescétarienn?e?)(?=$|[,.]|\s)", "Est {}", str),
    ("diet", "diet", rf"{_I}mange {_ADV}(?P<value>végétarien|vegan|végan|halal|casher|kasher|sans gluten|sans lactose)\b",
     "Mange {}", str),
    *(("diet", "diet", rf"{_NOT}{verb} (?P<how>pas|jamais|plus) (?:de |d'|du |la )(?P<value>.+)", f"Ne {third} {{how}} de {{}}",
    lambda value: _food(value))
      for verb, third in (("mange", "mange"), ("bois", "boit"), ("consomme", "consomme"))),
    ("diet", "diet", rf"{_NOT}(?:peux|supporte|digère|tolère) pas (?:manger |boire )?(?:de |d'|du |le |la |les "
     rf")(?P<value>(?:\w+ )?(?:lait|gluten|lactose|fruits de mer|noix|arachides|œufs|viande|porc|alcool|soja|poisson|produits "
     rf"laitiers|sucre|café|épicé|cacahuètes)\b.*)", "Ne supporte pas {}", W.lasting),
    ("diet", "diet", rf"{_AM}(?:sévèrement )?allergique (?:aux|au|à la|à l'|à)\s?(?P<value>.+)", "Est allergique à {}",
     W.lasting),
    ("diet", "diet", rf"{_HAVE}(?P<value>une (?:allergie|intolérance) (?:aux|au|à la|à l'|à)\s?.+)", "A {}", W.lasting),
    ("diet", "diet", r"(?:je suis|je fais) un (?P<value>régime .+)", "Suit un {}", W.lasting),
    ("language", "language", rf"{_I}parle {_ADV}(?:couramment )?(?P<value>.+)", "Parle {}", lambda value: _languages(value)),
    ("language", "language", rf"{_NOT}parle pas (?P<value>.+)", "Ne parle pas {}", lambda value: _languages(value)),
    ("language", "language", rf"(?:j'apprends|{_AM}en train d'apprendre|j'essaie d'apprendre|je veux apprendre|j'étudie) "
     rf"{_ADV}(?:à parler )?(?:le |l'|du )?(?P<value>\w+)(?=$|[,.]|\s)", "Apprend {}", lambda value: _languages(value)),
    ("language", "language", r"ma langue maternelle est (?P<value>.+)", "Sa langue maternelle est {}",
     lambda value: _languages(value)),
    ("project", "project", rf"(?:j'écris|{_AM}en train d'écrire) {_ADV}(?P<value>(?:une?|mon|ma) (?:\w+ )?(?:roman|livre"
     rf"|thèse|mémoire|nouvelle|recueil|scénario|pièce|bd|bande dessinée|autobiographie)\b.*)", "Écrit {}", W.lasting),
    *(("project", "project", rf"{_I}{verb} {_ADV}(?P<value>(?:une?|mon|ma|notre) (?!fichier|erreur|fonction|script|problème).+)",
    third + " {}", W.lasting)
      for verb, third in (("construis", "Construit"), ("rénove", "Rénove"), ("rénovons", "Rénove"), ("développe", "Développe"),
      ("restaure", "Restaure"), ("retape", "Retape"),
                          ("fabrique", "Fabrique"), ("programme", "Programme"), ("monte", "Monte"), ("crée", "Crée"))),
    ("health", "note", rf"{_HAVE}(?:de l'|le |du |des |la )?(?P<value>diabète|asthme|migraines|épilepsie|tdah|arthrose"
     rf"|hypertension|anxiété|dépression|sclérose en plaques|fibromyalgie|rhume des foins)\b", "A {}", str),
    ("health", "note", rf"{_AM}(?P<value>gauch(?:er|ère)|droiti(?:er|ère)|daltonienn?e?|sourde?|malvoyante?|aveugle"
     rf"|dyslexique|autiste|enceinte|en fauteuil roulant|asthmatique)\b", "Est {}", str),
    ("like", "preference", r"je m'intéresse (?:à la |à l'|à |au |aux )(?P<value>.+)", "S'intéresse à {}", W.lasting),
    ("project", "project", rf"(?:je travaille|je bosse) {_ADV}sur (?P<value>(?:une?|mon|ma) (?!problème|erreur|bug|exercice"
     rf"|devoir|mail|présentation|rapport).+)", "Travaille sur {}", W.lasting),
    ("project", "project", r"je (?:m'entraîne|me prépare) (?:pour|à) (?P<value>.+)", "S'entraîne pour {}", W.lasting),
    ("goal", "goal", r"(?:je (?:veux|voudrais|souhaite|compte|prévois de|rêve de|cherche à|souhaiterais)|j'(?:aimerais|espère"
     r"|envisage de|essaie d'|essaie de|ai toujours voulu)|j'aimerais bien|j'ai envie de) ?(?:un jour )?(?P<value>.+)", "Veut {}",
     _wish),
    ("goal", "goal", r"mon (?:grand )?(?:objectif|but|rêve)(?: cette année| de cette année)?,? (?:est|c'est) (?:de "
     r"|d')(?P<value>.+)", "Son objectif est de {}", W.lasting),
    ("goal", "goal", r"j'(?:économise|épargne) pour (?P<value>.+)", "Économise pour {}", W.lasting),
    ("dislike", "preference", rf"{_NOT}aime {_ADV}(?:pas|plus|guère) {_ADV}(?:du tout |trop |tellement |vraiment |beaucoup "
     rf")*(?P<value>.+)", "N'aime pas {}", W.lasting),
    ("dislike", "preference", rf"{_NOT}supporte (?:pas|plus) (?P<value>.+)", "Ne supporte pas {}", W.lasting),
    ("dislike", "preference", r"(?:je ne suis|je suis|j'suis) pas (?:très |trop |vraiment )*(?:fan|amateur|friande?) (?:de "
     r"|d'|du |des )(?P<value>.+)", "N'est pas fan de {}", W.lasting),
    ("like", "preference", rf"{_I}aime {_ADV}(?P<value>.+)", "Aime {}", W.lasting),
    ("like", "preference", rf"j'adore {_ADV}(?P<value>.+)", "Adore {}", W.lasting),
    ("hate", "preference", rf"je déteste {_ADV}(?P<value>.+)", "Déteste {}", W.lasting),
    ("hate", "preference", r"j'ai horreur (?:de |d'|du |des )(?P<value>.+)", "A horreur de {}", W.lasting),
    ("like", "preference", rf"je préfère {_ADV}(?P<value>.+)", "Préfère {}", W.lasting),
    ("like", "preference", r"j'évite (?:de |d')?(?P<value>.+)", "Évite {}", W.lasting),
    ("fan", "preference", rf"{_AM}(?:une? )?(?:grande? )?(?:fan|passionnée?|amatrice|amateur|adepte|accro) (?:de la |de l'|de "
     rf"|d'|du |des |au |aux |à la |par )(?P<value>.+)", "Est fan de {}", W.lasting),
    ("plays", "preference", rf"{_I}(?:joue|fais) {_ADV}(?P<value>{_MUSIC}|{_SPORTS})", "Joue {}", str),
    ("plays", "preference", rf"je fais {_ADV}(?P<value>(?:du|de la|de l') (?:vélo|yoga|escalade|randonnée|natation|course à "
     rf"pied|danse|ski|judo|karaté|voile|équitation|jardinage|théâtre|photo|poterie|plongée|surf|boxe|tricot|musculation))\b",
     "Fait {}", str),
    ("collects", "preference", r"je collectionne (?P<value>.+)", "Collectionne {}", W.lasting),
    ("favourite", "preference", r"m(?:on|a|es) (?P<what>[\w ]+?) préférée?s?(?: est| sont|,? c'est) (?P<value>.+)",
     "Son/sa {what} préféré est {}", W.lasting),
    ("hobby", "preference", r"(?:mes (?:passions|loisirs|hobbies) sont|ma passion,? (?:est|c'est)|mon (?:hobby|passe-temps) "
     r"(?:est|c'est)) (?P<value>.+)", "Loisirs : {}", W.lasting),
)  # fmt: skip


def _bare_name(value: str) -> str | None:
    words = value.casefold().split()
    ordinary = W.jobs.fullmatch(words[0]) or words[0] in {
        "français",
        "française",
        "batman",
        "chrétien",
        "chrétienne",
        "musulman",
        "musulmane",
        "juif",
        "juive",
        "parisien",
        "parisienne",
        "dieu",
    }
    return None if ordinary or re.search(r"(?:ais|aise|ien|ienne|ois|oise)$", words[0]) else W.proper(value)


def _study(value: str) -> str | None:
    value = re.sub(r"(?i)^(?:la |le |l'|les )", "", W.lasting(value) or "")
    return (
        None
        if not value
        or len(value.split()) > 4
        or value.split()[0].casefold() in W.languages | {"beaucoup", "pour", "tous", "avec"}
        else value
    )


def _languages(value: str) -> str | None:
    return W.some_languages(re.sub(r"(?i)(?<![\w])(?:le |l'|du )", "", value))


def _employer(value: str) -> str | None:
    value = W.tidy(re.split(r",| comme | en tant que ", value)[0])
    kind = re.match(
        r"(?i)(?:une? |la |le |l')(?:\w+ )??(?:hôpital|école|lycée|collège|université|banque|restaurant|hôtel|magasin"
        r"|boulangerie|clinique|entreprise|usine|bibliothèque|musée|pharmacie|bar|agence|atelier|supermarché|crèche|cabinet"
        r"|startup|start-up|mairie|café|librairie|ferme|ehpad|aéroport)\b",
        value,
    )
    return value if kind or (value[:1].isupper() and W.proper(value)) else None


def _food(value: str) -> str | None:
    value = W.lasting(value) or ""
    return value if value and value.split()[0].casefold() not in {"temps", "en", "à", "chez", "tout", "assez"} else None


_QUESTION = (
    r"(?:qu'est-ce|est-ce|quoi|qui|que|quelles?|quels?|comment|quand|où|pourquoi|combien|peux-tu|peut-on|pouvez-vous"
    r"|pourrais-tu|puis-je|dois-je|devrais-je|suis-je|ai-je|as-tu|avez-vous|connais-tu|tu connais|tu peux|tu as|tu pourrais|y "
    r"a-t-il"
    r"|c'est quoi|sais-tu|tu sais|des (?:conseils|idées|suggestions|astuces)|une idée|un conseil)"
)
FRENCH = Language(
    code="fr",
    on=True,
    words=word_set(
        "je j'ai j'habite j'adore j'aime j'apprends j'écris j'étudie suis mon ma mes le les des du une et est avec pour sur "
        "dans chez qui que pas ne n'aime n'ai n'habite m'appelle s'appelle travaille habite aime déteste préfère"
        " parle mange veux nous notre c'est bonjour prénom salut quel quelle comment au aux ça ce anniversaire souviens-toi "
        "j'évite j'enseigne un on ans viens appelle moi d'un d'une ta ton te tu m'a toi cette mais ou où donc sans plus très "
        "joue jamais toujours parce être avoir était fais suis-je a l'an appelez-moi appelle-moi aussi bien à a ai "
        "m'intéresse emménagé déménagé veut sans de"
    ),
    guard=Guard(
        about_a_text=re.compile(
            r"(?i)\b(?:tradui\w+|traduction|corrige\w*|corriger|correction (?:de|du)|résume\w*|résumé de|reformule\w*"
            r"|réécri\w+|paraphrase\w*|améliore (?:ce|le|mon)|relis|relire|grammaire|orthographe|(?:voici|c'est|voilà) (?:un "
            r"|une |mon |ma |le |la |ce )?(?:texte|lettre|mail|e-mail"
            r"|message|phrase|article|brouillon|paragraphe|dissertation)|(?:phrases?|exemples?) (?:d'exemple|de phrases)"
            r"|comment (?:dit-on|on dit|dire)|que veut dire|que signifie|discours indirect|compare ces)\b"
        ),
        invented=re.compile(
            r"(?i)\b(?:imagin(?:e|ons|ez)|suppos(?:e|ons|ez)|admettons|disons que|mettons que|fais comme si|faisons comme"
            r"|fais semblant|jeu de rôles?|jouons|joue (?:le rôle|un rôle)|tu es (?:un|une|mon|ma|le|la|maintenant)"
            r"|hypothétique\w*|que se passerait"
            r"|dans (?:mon|ma|ce|cette|le|la|l') ?(?:roman|rêve|jeu|histoire|livre|film|scène|scénario|exemple|exercice)"
            r"|ignore (?:toutes?|les|tes)|(?:ajoute|enregistre|sauvegarde|note|mets|inscris)\w* [^.\n]{0,40}(?:mémoire|profil)"
            r"|(?:(?<!j')(?<!j’)écris|écrivez|écrire (?=une histoire|un poème|un conte)|raconte|invente|rédige|crée|fais-moi"
            r"|compose)\b[^.?!\n]{0,40}\b(?:histoire|conte|poème|chanson|scène|dialogue|scénario|roman|blague|discours|rap"
            r"|biographie|exemples?)|(?:les? ia|l'ia|assistants?|chatbots?) (?:doit|doivent)"
            r"|comme si|pour (?:cet|l') ?(?:exercice|exemple))\b"
            r"|\b(?:mail|e-mail|courriel|lettre|texte|message|annonce|article|panneau|livre|narrateur|personnage) (?:\w+ "
            r")?(?:dit|disait|indique|commence|raconte)[^:\n]{0,20}:"
            r"|\b(?:dit|disait|a dit|écrit|écrivait|a écrit|répond|répondait|a répondu|demande|criait|répète"
            r"|répétait)\b[^:.\n]{0,30}:"
        ),
        composing=re.compile(
            r"(?i)^\W*(?:(?:s'il te plaît|stp|svp|peux-tu|pourrais-tu|munin|hé|maintenant|ok|et)[\s,]+)*(?:écris|rédige"
            r"|génère|crée|fais|répète|réponds|enregistre|ajoute|ignore|dis|dis-moi|joue|oublie|explique|donne|donne-moi"
            r"|montre|liste|calcule|trouve)\b"
        ),
        question=re.compile(rf"(?i)^\W*(?:(?:bonjour|salut|et|mais|alors|ok|svp|stp|munin)[\s,]+)*{_QUESTION}(?![\w])"),
        question_within=re.compile(
            rf"(?i)(?:[,;:–—]|\s-)\s*(?:(?:et|mais|ou|alors)\s+)?{_QUESTION}(?![\w])|\b(?:et|mais|ou)\s+{_QUESTION}(?![\w])"
        ),
        condition=re.compile(
            r"(?i)\b(?:si|s'il(?! te| vous)|peut-être|pourrais|devrais|serais|aurais|voudrais que|aimerais que|aimerais tant"
            r"|il se peut|sans doute|pas sûre?|je plaisante|c'est une blague|avant j'étais|j'étais|j'habitais|je travaillais"
            r"|soi-disant"
            r"|(?:il|elle|ils|on|les gens|tout le monde|mon \w+|ma \w+|ma grand-mère)(?: toujours)? (?:dit|disait|disent"
            r"|pense|croit|trouve que|pensent|m'a dit)|selon m(?:on|a|es)|d'après m(?:on|a|es))\b"
        ),
        clause_end=re.compile(r"(?i)[,;:()–—]|\s-\s|\b(?:et|mais)\b"),
        introduction=re.compile(
            "(?i)\\b(?:moi|info|contexte|correction|souviens-toi|rappelle-toi|note|oublie pas|retiens|présentation|nom|prénom"
            "|âge|bonjour|salut|oui|non|bon|ps|mise à jour|situation|vérité|bref|préférée?s?|tête)\\s*$"
        ),
        asks_for_source=re.compile("(?i)\\b(?:dit|chante|chanté|écrit|chanson|film|livre|citation|phrase)\\b"),
        contrast=re.compile(
            r"(?i)\bmais (?=(?:maintenant|je|j'|aujourd'hui))|[,;] maintenant (?=je\b|j')|\bet maintenant (?=je\b|j')"
        ),
    ),
    splitter=Splitter(
        lead=re.compile(
            r"(?i)\s*(?:(?:bonjour|salut|coucou|bonsoir|hello|hé|oui|non|ouais|bon|ben|alors|ok|d'accord|et|mais|car|parce "
            r"que|puisque|que|ah|au fait|d'ailleurs|merci|s'il te plaît|stp|svp|munin|maintenant|actuellement|en ce moment|en "
            r"fait|en réalité"
            r"|à vrai dire|pour info|pour contexte|un peu sur moi|à propos de moi|tu te trompes|c'est faux|faux|correction"
            r"|pardon|malheureusement|depuis (?:\w+ ){1,2}(?:ans|mois)|depuis \d{4}|il y a (?:\w+ ){1,2}(?:ans?|mois"
            r"|semaines?)|l'an dernier"
            r"|l'année dernière|dans mon temps libre|pendant mon temps libre|sache que|je voulais te dire que|figure-toi que"
            r"|bien que|comme(?= j| je)|personnellement|moi(?= je| j')|en plus|aussi|bref|(?:souviens-toi|rappelle-toi"
            r"|n'oublie pas|retiens|note|garde en tête)(?: bien)?(?: que| qu'|:)?"
            r")(?![\w])[\s,:;!.\x00-]*)*"
        ),
        remember=re.compile(
            r"(?i)\b(?:souviens-toi|rappelle-toi|n'oublie pas|retiens|note(?: bien)?|garde en tête)\s*(?:que\b|qu'"
            r"|:)\s*(?!tu\b|ton\b)"
        ),
        next=re.compile(
            r"(?i)(?:\s*[,;:()–—!.\n]\s*|\s+-{1,2}\s+|\s+(?=(?:et|mais|car|parce que|puisque)\b))(?:(?:et|mais|car|parce que"
            r"|puisque|que)\s+)?"
            r"(?:(?P<subject>(?=(?:je\b|j'|mon\b|ma\b|mes\b|notre\b|nous\b|il\b|elle\b|ils\b|tu\b|ton\b|ta\b|vous\b|moi,? "
            r"c'est|on\b|peux-tu|quel|comment|maintenant j|appelle-moi)))"
            r"|(?P<verb>(?=(?:habite|vis|travaille|viens|adore|déteste|aime|parle|suis|ai|étudie|préfère|joue|mange)\b))"
            r"|(?P<complement>(?=(?:\d{1,3} ans|mariée?\b|célibataire\b|divorcée?\b|végétarienn?e?\b|de [A-ZÉ]))))"
        ),
        verb="je ",
        complement="je suis ",
        takes_verb=re.compile(r"(?i)(?:je\b|j'|moi)"),
        takes_complement=re.compile(r"(?i)(?:je suis|je m'appelle|mon prénom|moi,? c'est)\s"),
        unreal=re.compile(r"(?i)(?:je|j')[^,]*?\b(?:veux|voudrais|aimerais|espère|souhaite|n'|ne|pas)"),
        reordered=(
            (re.compile(r"(?i)^je (?=(?:habite|adore|aime|ai|étudie)\b)"), "j'"),
            (re.compile(r"(?i)^maintenant (?=je\b|j')"), ""),
            (re.compile(r"(?i)^j'habite maintenant\b"), "j'habite"),
            (re.compile(r"(?i)^je suis (?=\d{1,3} ans)"), "j'ai "),
        ),
    ),
    rules=rules(TABLE, cased=frozenset({"bare", "kin", "kin named"})),
    first_person=re.compile(r"(?i)(?:\b(?:je|mon|ma|mes|me|moi|nous|notre)\b|\b[jm]')"),
    somebody=re.compile(rf"(?i)\b(?:il|elle|ils|elles|son|sa|ses|leur|{_KIN}|enfants|parents|gens)\b"),
    transient=W.transient,
    note=_note,
    describe=describer(TABLE),
)
