"""English word lists that the rules lean on: occupations, languages, nationalities, and words that are no name or place."""

from munin_app.profile.words import word_set

OCCUPATIONS = word_set(
    """
    accountant actor actress actuary administrator adviser advisor agent agronomist aide anaesthetist analyst anesthetist
    animator anthropologist apprentice archaeologist architect archivist artist assistant astronaut astronomer athlete
    attorney auditor author baker banker barber barista barman bartender bassist beautician beekeeper biochemist biologist
    blacksmith blogger bodyguard bookbinder bookkeeper bookseller botanist bouncer brewer bricklayer broadcaster broker
    builder busker butcher captain cardiologist caregiver carer caretaker carpenter cartoonist cashier ceo ceramicist cfo
    chaplain chauffeur chef chemist chiropractor choreographer cleaner clergyman clerk co-founder coach cobbler cofounder
    composer conductor consultant contractor coo cook coordinator cop copyeditor copywriter costumer counsellor counselor
    courier cowboy craftsman croupier cto curator custodian dancer dean dentist dermatologist designer detective developer
    dietician dietitian diplomat director dispatcher diver dj docent doctor dogwalker doula driver drummer ecologist
    economist editor electrician emt engineer engraver entrepreneur epidemiologist essayist esthetician estimator
    ethnographer executive exterminator farmer filmmaker firefighter fireman fisherman fitter florist foreman founder
    freelancer freshman fundraiser gardener geneticist geographer geologist geophysicist glazier goldsmith gp graduate
    guard guide guitarist hairdresser handyman headmaster headteacher historian homemaker housekeeper housewife
    hydrologist hygienist illustrator imam influencer inspector installer instructor intern interpreter inventor investor
    janitor jeweler jeweller journalist judge keeper landscaper lawmaker lawyer lead lecturer librarian lifeguard linesman
    linguist lobbyist locksmith logger machinist magician manager marine marketer mason masseur masseuse mathematician
    mechanic mediator merchant meteorologist microbiologist midwife miller miner minister model moderator monk mortician
    mover mp musician nanny navigator netmaker neurologist neuroscientist neurosurgeon novelist nun nurse nutritionist
    oceanographer officer oncologist operator optician optometrist orderly organiser organist organizer orthodontist
    packer paediatrician painter paralegal paramedic pastor pathologist pediatrician pensioner percussionist pharmacist
    philosopher phlebotomist photographer physician physicist physiotherapist pianist pilot planner plasterer playwright
    plumber podcaster poet policeman policewoman politician porter postdoc postgraduate postman postmaster potter
    practitioner priest principal producer professor programmer proofreader prosecutor psychiatrist psychologist
    psychotherapist publicist publisher rabbi radiographer radiologist rancher ranger realtor receptionist recruiter rep
    reporter representative researcher restorer retiree rn roaster roofer sailor salesman salesperson saleswoman
    saxophonist scientist screenwriter sculptor seamstress secretary sergeant server shepherd sheriff shopkeeper signalman
    signmaker singer skater skipper smith sociologist soldier solicitor sommelier sonographer sophomore specialist sre
    stagehand statistician stevedore steward stewardess stockbroker stonemason strategist streamer student stuntman
    stylist superintendent supervisor supplier surgeon surveyor swe sysadmin ta tailor tattooist taxidermist teacher tech
    technician telemarketer teller tester therapist tiler toolmaker trader trainee trainer translator treasurer trucker
    trumpeter tutor typist undergraduate underwriter upholsterer urologist usher valet vet veteran veterinarian vicar
    videographer violinist vj vocalist vp waiter waitress warden weaver webmaster welder winemaker woodworker worker
    writer yogi youtuber zookeeper zoologist
    """
)

LANGUAGES = word_set(
    """
    sign afrikaans albanian amharic arabic armenian basque bengali bosnian bulgarian burmese cantonese catalan chinese
    croatian czech danish dutch english esperanto estonian farsi finnish flemish french galician georgian german greek
    gujarati hausa hebrew hindi hungarian icelandic igbo indonesian irish italian japanese kazakh khmer korean kurdish lao
    latin latvian lithuanian luxembourgish macedonian malay malayalam maltese mandarin marathi mongolian nepali norwegian
    pashto persian polish portuguese punjabi romanian russian sami serbian sinhala slovak slovene slovenian somali spanish
    swahili swedish tagalog tamil telugu thai tibetan tigrinya turkish ukrainian urdu uzbek vietnamese welsh xhosa yiddish
    yoruba zulu asl bsl gaelic
    """
)

NATIONALITIES = LANGUAGES - {
    "latin",
    "sami",
    "mandarin",
    "cantonese",
    "farsi",
    "esperanto",
    "asl",
    "bsl",
    "gaelic",
    "lao",
} | word_set(
    """
    afghan african algerian american argentinian asian australian austrian bangladeshi belgian bolivian brazilian
    british cambodian cameroonian canadian chilean colombian congolese cuban cypriot dominican ecuadorian egyptian
    eritrean ethiopian european filipino ghanaian guatemalan haitian indian iranian iraqi israeli ivorian jamaican
    jordanian kenyan kosovan kuwaiti lebanese libyan malaysian mexican moroccan nigerian pakistani palestinian
    panamanian paraguayan peruvian rwandan salvadoran saudi scottish senegalese singaporean slovakian sudanese swiss
    syrian taiwanese tanzanian tunisian ugandan uruguayan venezuelan yemeni zambian zimbabwean
    """
)

NO_NAME = (
    OCCUPATIONS
    | NATIONALITIES
    | LANGUAGES
    | word_set(
        """
    a an the not no very so too just really still also always never here there back home done gone fine good great ok
    okay well bad better best worse worst sad happy glad mad angry tired sleepy hungry thirsty sick ill busy free bored
    sorry sure unsure certain afraid scared worried confused lost stuck late early ready new old young alone single
    married divorced engaged widowed pregnant excited curious interested serious kidding joking fun funny nice kind cool
    hot cold warm wet dry fast slow tall short big small fat thin weak strong rich poor smart dumb stupid crazy weird
    normal human male female nonbinary trans gay lesbian bi straight queer christian muslim jewish hindu buddhist
    catholic atheist agnostic vegan vegetarian pescatarian diabetic autistic dyslexic deaf blind left right from in on
    at to of for with about like into over under up down out off currently now then today tonight tomorrow monday
    tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december my your his her their our its this that these those it he she they we you i me him them us
    one two three four five what who how why when where looking trying going thinking working living learning planning
    having getting feeling doing being using making writing reading mr mrs ms miss dr prof sir madam team leader boss
    sorry thankful grateful proud jealous lonely nervous anxious depressed stressed exhausted overwhelmed drunk sober
    awake asleep alive dead different similar available unemployed employed retired self-employed freelance bilingual
    allergic lactose gluten open closed all both some any most more less enough almost nearly perhaps maybe definitely
    absolutely totally completely quite pretty rather convinced aware able unable due based back online offline hard
    easy pronounced spelled spelt listed written missing wrong unique common rare long secret important irrelevant and
    or but if because batman anything anyone nobody nothing everything
    """
    )
)

NO_PLACE = word_set(
    """
    fear peace hope denial poverty luxury sin harmony silence chaos pain style comfort isolation darkness misery hell
    heaven bed it this that these those here there person general particular theory practice fact house home place room
    apartment flat world moment past present future dream dreams fantasy constant total perfect my your his her their
    our its interesting a an the same different new another one two which what where order need love trouble shock awe
    doubt debt charge case front
    """
)

NO_LIKING = word_set(
    """
    it this that these those them him her you your he she they how when what where why who if i we us both either
    neither none all some one ones everything nothing most more less option version number answer choice plan your yours
    so very mine his hers another other others same such there here not
    """
)

LIKABLE_THE = word_set(
    """
    sea ocean mountains mountain outdoors beach countryside city cold heat rain snow sun sunshine summer winter autumn
    spring night forest woods desert theatre theater opera cinema gym smell taste sound piano violin guitar dark quiet
    silence morning mornings evening evenings arts lake lakes river wilderness nature beatles
    """
)

TRANSIENT = word_set(
    """
    today tonight tomorrow yesterday this that these those here now asap error bug issue problem ticket task homework
    assignment
    """
)

OF_THIS_CHAT = TRANSIENT - {"that", "those"} | word_set("you your yours yourself above below chatgpt")
"""Never in a lasting taste or plan; "games that involve dice" may be one."""

SENSED = word_set(
    """
    smell taste sound look feel feeling scent texture sight view colour color impersonal hustle noise crowds use
    """
)

WORK_FIELDS = word_set(
    """
    development management services relations resources estate support production planning intelligence learning assurance
    chain work animation photography trade it tech finance marketing sales education healthcare medicine law logistics
    retail hospitality construction agriculture farming banking insurance advertising publishing journalism media
    television tv film theatre theater music fashion design architecture engineering software hr research science academia
    biotech pharma energy oil shipping fishing forestry manufacturing mining tourism catering transport aviation security
    cybersecurity government ux ui fintech e-commerce qa pr edtech healthtech nursing telecoms procurement compliance
    payroll recruitment politics consulting accounting administration childcare elderly-care public-relations real-estate
    """
)

WORKPLACES = word_set(
    """
    bistro pizzeria mall hostel inn lodge zoo prison jail court courthouse embassy ministry daycare preschool academy
    institute winery distillery shipyard port depot plant mill mine refinery ranch greenhouse dealership pub diner deli
    spa casino cinema theater theatre orchestra church parish newsroom hospice station consultancy bureau department
    shelter yard rig hospital school university college bank shop store bakery restaurant cafe café bar hotel library
    museum factory farm startup start-up company firm agency clinic pharmacy kindergarten nursery warehouse studio
    laboratory lab supermarket garage newspaper charity ngo non-profit nonprofit bookshop bookstore brewery airport call-
    centre municipality council practice office vineyard gym salon
    """
)

BUSINESSES = WORKPLACES | word_set(
    """
    business shelter bookshop gallery café workshop consultancy foundation band choir
    """
)
