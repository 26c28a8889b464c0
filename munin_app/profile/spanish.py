"""Spanish."""

import re

from munin_app.profile.language import Guard, Language, Splitter
from munin_app.profile.plain import Entry, Words, describer, rules
from munin_app.profile.words import word_set

_ADV = (
    r"(?:(?:también|solo|sólo|muy|realmente|ahora|actualmente|ya|siempre|todavía|aún|mucho|originalmente|justo|además|desde "
    r"hace \w+ \w+|desde \d+"
    r"|aquí|estrictamente|totalmente|especialmente|sobre todo|hoy en día|recién|más)\s+)*"
)
_I = r"(?:(?:yo|nosotros|nosotras)\s+)?"
_AM = rf"{_I}soy\s+{_ADV}"
_STAY = rf"{_I}estoy\s+{_ADV}"
_KIN = (
    r"(?:esposa|esposo|marido|mujer|novia|novio|pareja|prometid[oa]|madre|padre|mamá|papá|hermana|hermano|hijo|hija|abuela"
    r"|abuelo|tía|tío|sobrina"
    r"|sobrino|prima|primo|nieta|nieto|perro|perra|perrita|perrito|gato|gata|gatito|gatita|conejo|caballo|loro|hámster|jefa"
    r"|jefe|amiga|amigo|mejor amig[oa]|hermana mayor|hermano"
    r" mayor|hermana menor|hermano menor|hermanit[oa]|bebé|suegra|suegro|compañer[oa] de piso|vecina|vecino|mascota|tortuga"
    r"|cachorr[oa])"
)
_KINS = (
    r"(?:hij[oa]s?|perr[oa]s?|gat[oa]s?|herman[oa]s?|niet[oa]s?|caballos?|conej[oa]s?|loros?|gemel[oa]s|mellizos"
    r"|niñ[oa]s?|mascotas?|gallinas|tortugas?|peces|sobrin[oa]s?|cachorr[oa]s?)"
)
_COUNT = r"(?:una?|dos|tres|cuatro|cinco|seis|\d{1,2})"
_NAME = r"[A-ZÁÉÍÓÚÑ][\wáéíóúñü'-]*(?: [A-ZÁÉÍÓÚÑ][\wáéíóúñü'-]*){0,2}"
_MONTH = r"(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre)"
_DATE = rf"\d{{1,2}} de {_MONTH}(?: (?:de|del) \d{{4}})?"

W = Words(
    cut=re.compile(
        r"(?i)\s*,?\s*\b(?:porque|ya que|pero|aunque|pues|sino|mientras|si|cuando|gracias|por favor|así que|desde|por eso|y "
        r"(?:yo|mi|mis|me|no|soy|tengo|vivo|trabajo"
        r"|quiero|necesito|estoy|es|él|ella|tenemos|hablo|busco|estudio|ahora|mañana)|que (?:me|se|es|está)|debido)\b"
    ),
    trailing=re.compile(
        r"(?i)[\s,]+(?:mucho|muchísimo|también|ahora|actualmente|etc|sobre todo|y|o|además|por ahora|últimamente|ya|siempre"
        r"|nada|en absoluto|de todo|de profesión|la verdad|desde siempre"
        r"|con mi[s]? \w+|hoy|en general|para nada)[\s.,]*$"
    ),
    transient=word_set("hoy mañana ayer ahora este esta esto estos estas tu tus usted aquí error tarea"),
    no_taste=word_set(
        "cómo cuándo dónde esto eso este esta ese esa esos esas estos estas tu tus te lo la que como cuando si no nada todo "
        "así mucho muy más usted ustedes ti ella él ellos saber decir él aquello ambos"
    )
    - {"la", "lo"},
    village=re.compile("(?i)(?:un|una) (?:\\w+ )?(?:pueblo|ciudad|aldea|pueblecito|isla|granja)(?: \\w+)? (?:de|en|cerca|al)"),
    no_place=word_set(
        "vacaciones casa oficina trabajo paz miedo cama problema problemas mundo apuros crisis momento pasado mi tu un una "
        "prisa acuerdo viaje mal forma confianza pie buena buen"
    )
    - {"la"},
    no_name=word_set(
        "no muy un una el la que de soy tan así mi también nuevo nueva como lo más bien mal feliz triste cansado cansada"
    ),
    jobs=re.compile(
        r"(?:médic[oa]|doctora?|enfermer[oa]|profesora?|maestr[oa]|ingenier[oa]|abogad[oa]|camarer[oa]|cociner[oa]"
        r"|panader[oa]|arquitect[oa]|periodista|estudiante|policía|bomber[oa]"
        r"|diseñadora?|programadora?|desarrolladora?|contadora?|contable|electricista|carpinter[oa]|mecánic[oa]|fontaner[oa]"
        r"|plomer[oa]|psicólog[oa]|farmacéutic[oa]|veterinari[oa]|dentista"
        r"|músic[oa]|pintora?|escritora?|traductora?|fotógraf[oa]|actor|actriz|cantante|peluquer[oa]|secretari[oa]|vendedora?"
        r"|conductora?|taxista|camioner[oa]|agricultora?|granjer[oa]"
        r"|economista|biólog[oa]|químic[oa]|físic[oa]|científic[oa]|investigadora?|albañil|soldadora?|jardiner[oa]|azafata"
        r"|pilot[oa]|juez|jueza|notari[oa]|consultora?|gerente|directora?"
        r"|administrativ[oa]|cajer[oa]|recepcionista|fisioterapeuta|terapeuta|matrona|partera|bibliotecari[oa]|guía|chef"
        r"|barista|community manager|analista|técnic[oa]|operari[oa]|jubilad[oa]"
        r"|autónom[oa]|ama de casa|amo de casa|freelance|funcionari[oa]|militar|soldado|marinero|pescadora?|sastre|costurera"
        r"|niñera|cuidadora?|asistente|auxiliar|empresari[oa]|agente|geólog[oa])"
    ),
    languages=word_set(
        "español castellano inglés francés alemán italiano portugués catalán gallego euskera vasco valenciano chino mandarín "
        "japonés coreano árabe ruso polaco rumano griego"
        " holandés neerlandés sueco noruego danés finés turco hebreo hindi quechua guaraní náhuatl latín ucraniano checo "
        "húngaro croata esperanto aimara vietnamita"
    ),
    joiners=re.compile(r"(?i)\s*(?:,|/|&|\by\b|\be\b|\bademás de\b)\s*"),
    degree=re.compile(
        r"(?i)^(?:(?:un poco de|un poquito de|algo de|muy bien|bien|perfectamente|también|con fluidez|el|nivel \w+ de|un)\s+)+"
    ),
    mine=(
        (re.compile(r"(?i)\bmis\b"), "sus"),
        (re.compile(r"(?i)\bmi\b"), "su"),
        (re.compile(r"(?i)\bnuestr([oa]s?)\b"), r"su"),
        (re.compile(r"(?i)\bme\b"), "se"),
    ),
)


def _note(sentence: str) -> str | None:
    """ "mi coche es gris" is "Coche es gris"; "soy zurdo" is "Es zurdo"."""
    sentence = " ".join(sentence.split())
    if re.match(r"(?i)(?:tú|tu|tus|eres|usted|cuando|si|el usuario|la usuaria)\b", sentence) or len(sentence.split()) < 2:
        return None
    sentence = re.sub(r"(?i)^(?:yo )", "", sentence)
    sentence = re.sub(r"(?i)^(?:mi|mis|nuestr[oa]s?) ", "", sentence)
    for first, third in (("no soy", "no es"), ("soy", "es"), ("tengo", "tiene"), ("estoy", "está"), ("vivo", "vive"), ("trabajo",
    "trabaja"), ("puedo", "puede"),
                         ("no puedo", "no puede"), ("uso", "usa"), ("no uso", "no usa"), ("tomo", "toma"), ("no tengo",
                          "no tiene"), ("voy", "va"), ("hago", "hace"), ("llevo", "lleva")):  # fmt: skip
        sentence = re.sub(rf"(?i)^{first}\b", third, sentence)
    sentence = (
        re.sub(r"(?i)^(siempre |nunca |no )?(\w+[^aeiou])o (?=\w)", lambda found: f"{found[1] or ''}{found[2]}a ", sentence)
        if not re.match(r"(?i)(?:coche|carro|perro|gato|número|hijo|esposo|marido|tipo|grupo|teléfono|correo)\b", sentence)
        else sentence
    )
    return W.third(sentence[:1].upper() + sentence[1:])


def _wish(value: str) -> str | None:
    value = W.lasting(value) or ""
    soon = re.search(r"(?i)\b(?:hoy|mañana|pronto|este|esta|semana|próxim[oa])\b", value)
    return value if _LASTING.match(value) and not soon else None


_LASTING = re.compile(
    r"(?i)(?:aprender|correr|ser|hacerme|hacerse|convertir\w*|comprar(?:me)? (?:una|un) (?:casa|piso|barco|apartamento"
    r"|terreno)|escribir un|abrir (?:mi|un|una)|montar (?:mi|un|una)|dejar de|bajar|perder"
    r"|adelgazar|ahorrar|viajar|mudar\w*|estudiar|emigrar|casar\w*|terminar (?:mi|la|el)|mejorar mi|graduar\w*|sacar\w* (?:el"
    r"|la|un)|vivir en|trabajar (?:en|como)|publicar|construir|jubilar\w*|visitar|subir|adoptar|comer (?:menos|más|mejor)"
    r"|leer más)\b"
)
_GAMES = (
    r"(?:el piano|la guitarra|el violín|la batería|el bajo|la flauta|el saxofón|la trompeta|el violonchelo|el chelo|el "
    r"arpa|el acordeón|el ukelele|el clarinete)"
)
_SPORTS = r"(?:tenis|fútbol|baloncesto|voleibol|pádel|golf|ajedrez|rugby|béisbol|balonmano|bádminton|ping pong|hockey)"
TABLE: tuple[Entry, ...] = (
    ("name", "name", rf"{_I}me llamo (?P<value>.+)", "Se llama {}", W.name),
    ("name", "name", r"mi nombre (?:completo )?es (?P<value>.+)", "Se llama {}", W.name),
    ("called", "name", r"(?:por favor )?(?:llámame|puedes llamarme|me (?:dicen|llaman)|todos me (?:dicen|llaman)|mis amigos "
     r"me (?:dicen|llaman)) (?P<value>.+)", "Le llaman {}", W.name),
    ("bare", "name", rf"(?i:{_I}(?:soy|aquí) )(?P<value>{_NAME})(?=$|,|\s+(?:y|de)\b)", "Se llama {}", W.proper),
    ("age", "age", rf"{_I}tengo {_ADV}(?:casi )?(?P<value>\d{{1,3}}|[a-zñí]+(?: y \w+)?) años", "Tiene {} años", str),
    ("age", "age", r"(?:acabo de cumplir|voy a cumplir|cumplo|cumplí) (?P<value>\d{1,3})(?: años)?", "Cumple {} años", str),
    ("birthday", "birthday", rf"(?:mi cumpleaños es|cumplo años|nací) el (?:día )?(?P<value>{_DATE})", "Cumpleaños: {}", str),
    ("birthday", "birthday", r"nací en (?P<value>(?:19|20)\d\d)", "Nació en {}", str),
    ("location", "location", rf"{_I}(?:vivo|resido|vivimos) {_ADV}en (?P<value>.+)", "Vive en {}", W.place),
    ("location", "location", rf"{_I}(?:vivo|vivimos) {_ADV}(?:cerca de|a las afueras de) (?P<value>.+)", "Vive cerca de {}",
     W.place),
    ("location", "location", rf"{_I}(?:me mudé|nos mudamos|me he mudado|me acabo de mudar|acabo de mudarme|me trasladé|me "
     rf"vine a vivir|me fui a vivir) (?:\w+ )??a (?P<value>.+?)(?= (?:el|la|hace|en|este|desde|por|con)\b|$)", "Vive en {}",
     W.place),
    ("origin", "origin", rf"{_AM}(?:originari[oa] )?(?:de|del) (?P<value>.+)", "Es de {}", W.place),
    ("origin", "origin", rf"{_I}vengo de (?P<value>.+)", "Es de {}", W.place),
    ("origin", "origin", rf"{_I}(?:nací|crecí|me crié|nací y crecí) en (?P<value>.+)", "Creció en {}", W.place),
    ("origin", "origin", rf"{_AM}(?P<value>español[a]?|mexican[oa]|argentin[oa]|chilen[oa]|colombian[oa]|peruan[oa]"
     rf"|venezolan[oa]|cuban[oa]|ecuatorian[oa]|bolivian[oa]|uruguay[oa]|paraguay[oa]|catal[áa]na?|andaluz[a]?|galleg[oa]"
     r"|vasc[oa]|italian[oa]|frances[a]?|francés|aleman[a]?|alemán|portugues[a]?|portugués|ingles[a]?|inglés|brasileñ[oa]"
     r"|costarricense|guatemaltec[oa]|dominican[oa]|puertorriqueñ[oa]|hondureñ[oa]|salvadoreñ[oa]|panameñ[oa]|marroquí)(?=$|,"
     r"|\s)", "Es {}", str),
    ("job", "job", rf"{_I}(?:trabajo|trabajaba ahora) {_ADV}(?:como|de) (?P<value>(?!noche|día|lunes|sol|voluntari|media"
     rf"|mañana|tarde|forma|manera).+?)(?= (?:en|los|las|por|para|desde|con)\b|$)", "Trabaja de {}", W.any_job),
    ("job", "job", rf"{_AM}(?:una? )?(?:buen[oa]? )?(?P<value>.+)", "Es {}", W.job),
    ("job", "job", r"como (?P<value>[\w ]+?),? (?:trabajo|paso|tengo|estoy|no tengo)\b", "Es {}", W.job),
    ("job", "job", r"mi (?:profesión|trabajo|oficio) es (?:de |ser )?(?P<value>.+)", "Es {}", W.job),
    ("job", "job", rf"{_I}(?:estudio|estoy estudiando|curso) {_ADV}(?P<value>.+?)(?= en\b|$)", "Estudia {}",
     lambda value: _study(value)),
    ("job", "job", rf"{_I}(?:enseño|doy clases de) {_ADV}(?P<value>.+?)(?= (?:en|a)\b|$)", "Enseña {}", W.lasting),
    ("job", "job", rf"{_STAY}(?P<value>jubilad[oa]|desemplead[oa]|en (?:el )?paro|sin trabajo|retirad[oa]|de baja)", "Está {}",
     str),
    ("employer", "employer", rf"{_I}(?:trabajo|estoy trabajando) {_ADV}(?:en|para) (?P<value>(?!casa|línea|equipo|remoto|ello"
     rf"|eso|esto|un proyecto|una app|mi).+)", "Trabaja en {}", lambda value: _employer(value)),
    ("employer", "employer", rf"{_I}(?:soy|trabajo (?:como|de)) [\w ]+? (?:en|para) (?P<value>(?:un |una |el |la )?.+)",
     "Trabaja en {}", lambda value: _employer(value)),
    ("kin", "relationship", rf"(?i:(?:mi|nuestr[oa]) (?P<who>{_KIN})(?: se llama| es|,)? )(?P<value>{_NAME})(?=$|[,.]|\s)",
     "{who} se llama {}", W.proper),
    ("kin named", "relationship", rf"(?i:{_I}(?:tengo|tenemos|adopté|acabo de adoptar|acabamos de adoptar|adoptamos) "
     rf"(?P<who>una? {_KIN})(?: (?:que )?se llama| llamad[oa]|,))? (?P<value>{_NAME})", "Tiene {who} que se llama {}", W.proper),
    ("kins", "relationship", rf"{_I}(?:tengo|tenemos) {_ADV}(?P<value>{_COUNT} (?:\w+ )?{_KINS}(?: (?!y\b)\w+)?(?:(?:,| y) "
     rf"{_COUNT} {_KINS})*)(?=$|[,.]|\s)", "Tiene {}", W.tidy),
    ("no kins", "relationship", rf"{_I}no (?:tengo|tenemos) (?P<value>hijos|hermanos|mascotas)", "No tiene {}", str),
    ("state", "relationship", rf"(?:{_STAY}|{_AM})(?P<value>casad[oa]|divorciad[oa]|solter[oa]|viud[oa]|separad[oa]"
     rf"|comprometid[oa]|madre soltera|padre soltero|(?:madre|padre) de \w+(?: hij[oa]s| niñ[oa]s)?|hij[oa] únic[oa])\b",
     "Está {}", str),
    ("diet", "diet", rf"(?:{_AM}|{_STAY})(?:una? )?(?:estrict[oa] )?(?P<value>vegetarian[oa]|vegan[oa]|celíac[oa]|celiac[oa]"
     rf"|diabétic[oa]|intolerante (?:a la|al) \w+|abstemi[oa]|pescetarian[oa])\b", "Es {}", str),
    ("diet", "diet", r"como (?P<value>vegano|vegetariano|kosher|halal|sin gluten|sin lactosa)\b", "Come {}", str),
    ("diet", "diet", rf"{_I}(?:ya )?no (?:como|puedo comer|puedo tomar) (?P<value>.+)", "No come {}", lambda value: _food(value)),
    ("diet", "diet", rf"{_I}nunca como (?P<value>.+)", "Nunca come {}", lambda value: _food(value)),
    ("diet", "diet", rf"{_I}(?:ya )?no (?:bebo|tomo) (?P<value>.+)", "No toma {}", lambda value: _food(value)),
    ("diet", "diet", rf"{_I}(?:soy|tengo) (?:muy )?(?:alérgic[oa]|alergia) (?:a la|a las|a los|al|a) (?P<value>.+)",
     "Tiene alergia a {}", W.lasting),
    ("diet", "diet", rf"{_I}sigo una (?P<value>dieta .+)", "Sigue una {}", W.lasting),
    ("diet", "diet", rf"{_I}tengo (?P<value>(?:intolerancia|una intolerancia) (?:a la|al) \w+|celiaquía|diabetes)", "Tiene {}",
     str),
    ("language", "language", rf"{_I}hablo {_ADV}(?P<value>.+)", "Habla {}", W.some_languages),
    ("language", "language", rf"{_I}no hablo (?P<value>.+)", "No habla {}", W.some_languages),
    ("language", "language", rf"{_I}(?:estoy aprendiendo|aprendo|estudio|estoy estudiando|quiero aprender) {_ADV}(?:a hablar "
     rf")?(?P<value>[\w]+)(?=$|,|\s)", "Aprende {}", W.some_languages),
    ("language", "language", r"mi (?:lengua materna|idioma materno|primera lengua) es (?P<value>.+)", "Su lengua materna es {}",
     W.some_languages),
    ("project", "project", rf"{_STAY}(?P<verb>escribiendo|construyendo|renovando|reformando|desarrollando|creando|montando"
     rf"|restaurando|programando|diseñando|grabando) (?P<value>(?:una?|mi|nuestr[oa]|el|la) (?!correo|email|mensaje|carta"
     rf"|informe|trabajo|error|función|código|script).+)", "Está {verb} {}", W.lasting),
    ("project", "project", rf"{_STAY}trabajando en (?P<value>(?:una?|mi) (?!error|problema|tarea|correo|informe|código"
     rf"|función|presentación).+)", "Está trabajando en {}", W.lasting),
    ("project", "project", rf"{_STAY}(?:entrenando|preparándome) para (?P<value>.+)", "Está entrenando para {}", W.lasting),
    ("goal", "goal", rf"(?:{_I}(?:quiero|quisiera|planeo|espero|pienso|sueño con|aspiro a)|me gustaría|estoy intentando"
     rf"|intento|siempre he querido) (?:algún día )?(?P<value>.+)", "Quiere {}", _wish),
    ("goal", "goal", r"mi (?:gran )?(?:objetivo|meta|sueño|propósito)(?: de este año| este año)? es (?P<value>(?!que|un|una"
     r"|el|la).+)", "Su objetivo es {}", W.lasting),
    ("goal", "goal", rf"{_STAY}ahorrando para (?P<value>.+)", "Está ahorrando para {}", W.lasting),
    ("dislike", "preference", r"(?:a mí )?no me (?P<verb>gusta|gustan|agrada|agradan|interesan?|entusiasman?) (?:nada |mucho "
     r"|para nada |tanto )*(?P<value>.+)", "No le {verb} {}", W.lasting),
    ("like", "preference", r"(?:a mí )?me (?P<verb>gusta|gustan|encanta|encantan|fascina|fascinan|apasiona|apasionan|chiflan?"
     r"|flipan?|interesan?) (?:mucho |muchísimo |más |un montón )*(?P<value>.+)", "Le {verb} {}", W.lasting),
    ("hate", "preference", rf"{_I}odio (?P<value>.+)", "Odia {}", W.lasting),
    ("hate", "preference", rf"{_I}detesto (?P<value>.+)", "Detesta {}", W.lasting),
    ("hate", "preference", rf"{_I}no (?:soporto|aguanto) (?P<value>.+)", "No soporta {}", W.lasting),
    ("like", "preference", rf"{_I}prefiero (?P<value>.+)", "Prefiere {}", W.lasting),
    ("like", "preference", rf"{_I}(?:amo|adoro) (?P<value>.+)", "Adora {}", W.lasting),
    ("like", "preference", rf"{_I}evito (?P<value>.+)", "Evita {}", W.lasting),
    ("fan", "preference", rf"{_AM}(?:un |una )?(?:gran )?(?:fan|fanátic[oa]|aficionad[oa]|amante|hincha) (?:de los|de las|de "
     rf"la|del|de|al|a la) (?P<value>.+)", "Es fan de {}", W.lasting),
    ("plays", "preference", rf"{_I}toco {_ADV}(?P<value>{_GAMES})", "Toca {}", str),
    ("plays", "preference", rf"{_I}juego {_ADV}(?:al|a) (?P<value>{_SPORTS})", "Juega al {}", str),
    ("collects", "preference", rf"{_I}colecciono (?P<value>.+)", "Colecciona {}", W.lasting),
    ("health", "note", rf"{_I}(?:tengo|padezco|sufro de) {_ADV}(?P<value>diabetes|asma|migrañas?|epilepsia|tdah|artritis"
     rf"|hipertensión|ansiedad|depresión|esclerosis múltiple|fibromialgia|celiaquía)\b", "Tiene {}", str),
    ("health", "note", rf"(?:{_AM}|{_STAY})(?P<value>zurd[oa]|diestr[oa]|daltónic[oa]|sord[oa]|cieg[oa]|disléxic[oa]|autista"
     rf"|embarazada)\b", "Es {}", str),
    ("health", "note", r"(?:uso|ando en|voy en) (?P<value>silla de ruedas|audífonos|gafas)", "Usa {}", str),
    ("favourite", "preference", r"mi (?P<what>[\w ]+?) (?:favorit[oa]|preferid[oa]) es (?P<value>.+)", "Su {what} favorito es {}",
     W.lasting),
    ("favourite", "preference", r"mis (?P<what>[\w ]+?) (?:favorit[oa]s|preferid[oa]s) son (?P<value>.+)",
     "Sus {what} favoritos son {}", W.lasting),
    ("hobby", "preference", r"mis? (?:hobby|hobbies|pasatiempos?|aficiones|afición) (?:es|son) (?P<value>.+)", "Aficiones: {}",
     W.lasting),
)  # fmt: skip


def _study(value: str) -> str | None:
    value = W.lasting(value) or ""
    refused = (
        not value
        or len(value.split()) > 4
        or value.split()[0].casefold() in W.languages | {"mucho", "en", "para", "con", "los", "cada", "por", "todos"}
    )
    return None if refused else value


def _employer(value: str) -> str | None:
    value = W.tidy(value.split(",")[0])
    kind = re.match(
        r"(?i)(?:una?|el|la) (?:\w+ )??(?:hospital|escuela|colegio|universidad|banco|restaurante|hotel|tienda|panadería"
        r"|clínica|empresa|fábrica|biblioteca|museo|farmacia|bar|oficina|agencia|taller"
        r"|instituto|supermercado|guardería|bufete|startup|cafetería|aeropuerto|residencia)\b",
        value,
    )
    return value if kind or (value[:1].isupper() and W.proper(value) and value.split()[0].casefold() not in _CITIES) else None


_CITIES = word_set(
    "madrid barcelona valencia sevilla málaga bilbao zaragoza murcia granada alicante córdoba valladolid vigo gijón bogotá "
    "lima quito santiago buenos méxico"
    " medellín cali caracas montevideo la asunción panamá cusco guadalajara monterrey puebla rosario mendoza españa argentina "
    "chile colombia perú ecuador"
    " francia alemania italia portugal londres parís berlín estados san santa miami nueva"
)


def _food(value: str) -> str | None:
    value = W.lasting(value) or ""
    first = value.split()[0].casefold() if value else ""
    refused = not value or first in {
        "en",
        "por",
        "con",
        "fuera",
        "mucho",
        "bien",
        "nada",
        "desde",
        "antes",
        "a",
        "hasta",
        "decisiones",
        "notas",
    }
    return None if refused else value


_QUESTION = (
    r"(?:qué|quién|quiénes|cómo|cuándo|dónde|adónde|por qué|cuál|cuáles|cuánto|cuánta|cuántos|cuántas|puedes|podrías|puedo"
    r"|debo|debería|es|son|hay|tienes|sabes|conoces|crees|me (?:puedes|podrías|recomiendas|ayudas)"
    r"|alguna? (?:idea|consejo|sugerencia|recomendación))"
)
SPANISH = Language(
    code="es",
    on=True,
    words=word_set(
        "yo soy estoy vivo tengo trabajo llamo mi mis el los las una uno y con por para gusta gustan encanta quiero prefiero "
        "odio hablo del al lo ya muy que es"
        " como estudio hola nombre recuerda años este esta qué cómo pero nuestra nuestro mudé gustaría gustarían me te aquí "
        "llámame algún alguna trabajar nunca siempre cuando porque tu eres ser estar fue hay esa ese esto toco juego evito "
        "detesto adoro soporto sin más sobre le les bebo a aprender llaman nací crecí mudamos ama puedo colecciono interesa "
        "interesan uso sigo tomar hago voy estaba fui sueño ahorro enseño somos ni tampoco llamo vino mudé dejar fluidez años "
        "no francés alemán italiano como aprendo escribiendo un tenemos se"
    ),
    guard=Guard(
        about_a_text=re.compile(
            r"(?i)\b(?:traduc\w+|tradúce\w*|corrige\w*|corregir|corrección (?:de|del)|resum[ei]\w*|resúme\w*|reescrib\w+"
            r"|parafrase\w+|mejora (?:este|el|mi)|revisa (?:este|el|mi|la)|gramática|ortografía"
            r"|(?:aquí está|este es|esta es|el siguiente|la siguiente) (?:un |una |mi |el |la )?(?:texto|carta|correo|mensaje"
            r"|frase|artículo|ensayo|borrador|párrafo)|(?:frases?|oraciones) de ejemplo|ejemplos? de frases"
            r"|cómo se dice|qué significa|estilo indirecto|compara (?:estas|estos))\b"
        ),
        invented=re.compile(
            r"(?i)\b(?:imagin[ae]\w*|imagínate|supong\w+|supón|supongamos|pongamos que|digamos que|fing\w+|haz como si"
            r"|hagamos como|juego de rol|juguemos|actúa como|eres (?:un|una|mi|el|la|ahora)|hipotétic\w+|qué pasaría si"
            r"|en (?:mi|la|este|esta|el) (?:novela|sueño|juego|cuento|historia|libro|película|escena|escenario|ejemplo"
            r"|ejercicio)|ignora (?:todas?|las|tus)|(?:añade|agrega|guarda|anota|escribe|mete|incluye)\w* "
            r"[^.\n]{0,40}(?:memoria|perfil)"
            r"|(?:escribe|escribe\w{1,4}|escríb\w+|escribir (?:un|una) (?=cuento|historia|poema)|cuéntame|cuenta|inventa\w*"
            r"|redacta\w*|crea\w{0,2}|hazme|haz)\b[^.?!\n]{0,40}\b(?:cuento|historia|poema|canción|escena|diálogo|guion|guión"
            r"|novela|chiste|discurso|rap|biografía|ejemplos?)"
            r"|(?:las? ia|asistentes?|chatbots?) (?:debe|deben|tiene|tienen)|como si|para (?:este|el) (?:ejercicio|ejemplo))\b"
            r"|\b(?:correo|email|e-mail|carta|texto|mensaje|anuncio|artículo|cartel|libro|nota|narrador|personaje"
            r"|protagonista) (?:\w+ )?(?:dice|decía|pone|empieza|comienza|reza)[^:\n]{0,20}:"
            r"|\b(?:dice|decía|dijo|escribió|escribe|respondió|contestó|preguntó|gritó)\b[^:.\n]{0,30}:"
        ),
        composing=re.compile(
            r"(?i)^\W*(?:(?:por favor|puedes|podrías|munin|oye|ahora|ok|y)[\s,]+)*(?:escrib[ea]\w*|redacta|genera|crea|haz"
            r"|repite|responde|contesta|guarda|añade|agrega|ignora|di|dime|actúa|olvida|explica|dame|muestra|lista|calcula)\b"
        ),
        question=re.compile(rf"(?i)^\W*¿|^\W*(?:(?:hola|oye|y|pero|bueno|ok|por favor|munin)[\s,]+)*{_QUESTION}\b"),
        question_within=re.compile(rf"(?i)¿|(?:[,;:–—]|\s-)\s*(?:(?:y|pero|o)\s+)?{_QUESTION}\b"),
        condition=re.compile(
            r"(?i)\b(?:si(?! no me)|ojalá|quizás?|tal vez|a lo mejor|puede que|podría|debería|sería|tendría|viviría|viviera"
            r"|fuera(?! de casa)|no estoy segur[oa]|supuestamente|es broma|bromeo|antes era|solía|que (?:seas|fueras)"
            r"|(?:él|ella|todos|la gente|mi \w+|dicen|todo el mundo)(?: siempre)? (?:dice|decía|dijo|cree|piensa|opina|dicen"
            r"|creen)|según mi)\b"
        ),
        clause_end=re.compile(r"(?i)[,;:()–—]|\s-\s|\b(?:y|pero)\b"),
        introduction=re.compile(
            "(?i)\\b(?:mí|info|información|contexto|corrección|recuerda|nota|anota|datos|presentación|nombre|edad|verdad|hola"
            "|sí|no|bueno|pd|actualización|situación|cuenta|olvides|breve|favorit[oa]s?|aficiones)\\s*$"
        ),
        asks_for_source=re.compile("(?i)\\b(?:dijo|canta|cantó|escribió|canción|película|libro|cita|frase)\\b"),
        contrast=re.compile(r"(?i)\bpero (?=(?:ahora|yo|soy|vivo|trabajo|hoy)\b)|[,;] ahora (?=\w+o\b)"),
    ),
    splitter=Splitter(
        lead=re.compile(
            r"(?i)\s*¡?(?:(?:hola|buenas|buenos días|buenas (?:tardes|noches)|oye|sí|no,|bueno|pues|ok|vale|además|también|y"
            r"|pero|porque|que|ah|por cierto|gracias|por favor|munin|ahora|actualmente|hoy en día|la verdad(?: es que)?"
            r"|de hecho|en realidad|te cuento(?: que)?|para que sepas|para contexto|como contexto|un poco sobre mí|sobre mí"
            r"|eso está mal|te equivocas|incorrecto|corrección|perdón|desgraciadamente|por desgracia|desde hace \w+ \w+"
            r"|desde \d{4}|hace (?:\w+ ){1,2}(?:años?|meses|semanas?|poco)|el año pasado|en mi tiempo libre|quería decirte "
            r"que|resulta que|debes saber que|aunque|como sabes|como(?= (?:vivo|soy|trabajo|tengo|estoy)\b)|personalmente|a mí"
            r"|(?:por favor )?(?:recuerda|no olvides|ten en cuenta|anota|acuérdate de|toma nota de)(?: que"
            r"|:)?)(?![\w])[\s,:;!.\x00-]*)*"
        ),
        remember=re.compile(
            r"(?i)\b(?:recuerda|no olvides|ten en cuenta|anota|acuérdate de|toma nota de)\s*(?:que\b|:)\s*(?!tú\b|eres\b|tu\b"
            r"|debes\b)"
        ),
        next=re.compile(
            r"(?i)(?:\s*[,;:()–—!.\n]\s*|\s+-{1,2}\s+|\s+(?=(?:y|pero|porque|aunque)\b))(?:(?:y|pero|porque|aunque|además)\s+)?"
            r"(?:(?P<subject>(?=(?:yo|mi|mis|nuestr[oa]|él|ella|ellos|tú|tu|usted|puedes|qué|cómo|dónde|me|no|nos)\b))"
            r"|(?P<verb>(?=(?:soy|estoy|vivo|tengo|trabajo|estudio|hablo|odio|prefiero|quiero|amo|toco|juego|vengo|nací|crecí"
            r"|ahora vivo|ahora soy|ahora trabajo|tenemos|vivimos|bebo|como|colecciono|detesto|evito|aprendo|sigo|enseño)\b))"
            r"|(?P<complement>(?=(?:\d{1,3} años|casad[oa]\b|solter[oa]\b|divorciad[oa]\b|vegetarian[oa]\b|vegan[oa]\b|de "
            r"[A-ZÁÉÍÓÚ]))))"
        ),
        verb="",
        complement="soy ",
        takes_verb=re.compile(r".*"),
        takes_complement=re.compile(r"(?i)(?:yo )?(?:soy|me llamo|mi nombre es)\s"),
        unreal=re.compile(r"(?i)(?:me gustaría|quisiera|podría)\b"),
        reordered=(
            (re.compile(r"(?i)^ahora (?=(?:vivo|soy|trabajo|estudio|tengo)\b)"), ""),
            (re.compile(r"(?i)^(?:soy )(?=\d{1,3} años)"), "tengo "),
        ),
    ),
    rules=rules(TABLE, cased=frozenset({"bare", "kin", "kin named"})),
    first_person=re.compile(r"(?i)\b(?:yo|mi|mis|me|soy|estoy|tengo|vivo|nosotros|nuestr\w+|\w+o)\b"),
    somebody=re.compile(rf"(?i)\b(?:él|ella|ellos|ellas|su|sus|{_KIN}|hijos|padres|gente)\b"),
    transient=W.transient,
    note=_note,
    describe=describer(TABLE),
)
