"""Chinese, in simplified characters; the most frequent traditional ones are understood."""

import re

from munin_app.profile.language import Guard, Language, Splitter
from munin_app.profile.plain import Entry, Words, describer, rules
from munin_app.profile.words import word_set

_ADV = (
    r"(?:现在|目前|今年|已经|也|就|一直|真的|非常|特别|很|最|满|以后|将来|未来|明年|比较|超级|超|挺|最近|正在|正|在|平时"
    r"|从小|其实|还|都|只|主要|蛮|十分|更|刚刚|刚|去年|前年|上个月|今年|刚好|全职|自己|是|從小|現在|已經)*"
)
_I = r"(?:我们|我們|我|俺|咱们|本人)?"
_KIN = (
    r"(?:老婆|妻子|太太|老公|丈夫|先生|女朋友|男朋友|女友|男友|未婚妻|未婚夫|妈妈|媽媽|爸爸|母亲|父亲|姐姐|妹妹|哥哥|弟弟"
    r"|儿子|女儿|兒子|女兒|奶奶|爷爷|外婆|外公|姥姥|姥爷|姑姑|叔叔|阿姨|舅舅|侄子|侄女|表哥|表姐|表弟|表妹|狗|狗狗|小狗|猫|貓"
    r"|猫咪|小猫"
    r"|兔子|仓鼠|鹦鹉|宠物|老板|同事|室友|闺蜜|最好的朋友|好朋友|朋友|邻居|双胞胎弟弟|双胞胎妹妹|孩子|宝宝)"
)
_JOBS = (
    r"(?:[\u4e00-\u9fff]{0,8}(?:医生|醫生|护士|護士|老师|老師|教师|工程师|工程師|律师|律師|会计|會計|会计师|司机|司機|厨师"
    r"|廚師|程序员|设计师|設計師|大学生|高中生|研究生|博士生|留学生|学生|學生|作家|记者|警察|军人|农民|工人|经理|經理|教授"
    r"|导演|演员|歌手|保安|快递员"
    r"|店长|公务员|翻译|编辑|画家|摄影师|建筑师|药剂师|兽医|牙医|销售|销售员|售货员|服务员|理发师|美发师|消防员|飞行员|空姐"
    r"|科学家|研究员|分析师|顾问|产品经理|程式设计师|木匠|电工|水管工|司仪|主播|博主|自由职业者|家庭主妇|全职妈妈|全职爸爸"
    r"|退休教师|教练"
    r"|音乐家|钢琴家|音乐人|插画师|面包师|咖啡师|外卖员|船员|渔民|法官|检察官|治疗师|营养师|健身教练|导游|图书管理员|会计员"
    r"|秘书|助理|创业者|企业家|技术员|技师|护工|幼师|社工))"
)
_LANGUAGE = (
    r"(?:中文|普通话|國語|国语|粤语|粵語|英语|英文|英語|法语|法文|法語|德语|德文|德語|日语|日文|日語|韩语|韩文"
    r"|西班牙语|葡萄牙语|意大利语|俄语|阿拉伯语|越南语|泰语|闽南语|上海话|四川话|客家话|瑞典语|荷兰语|土耳其语|印地语|波兰语"
    r"|希腊语|手语|拉丁语)"
)
_END = r"(?=$|[，,。；;！!、\s]|了|的时候|并且|而且)"
_NUMBER = r"[\d一二三四五六七八九十百两]+"
_THINGS = r"(?:这|那|你|您|它|他|她|什么|怎么|一下|一个问题|一份|一篇|一段|一首|一句)"

W = Words(
    cut=re.compile(
        r"(?:因为|因為|但是|但|所以|不过|而且|如果|请问|谢谢|和我|，|,|吗|呢|吧|的话|，?有什么|并且|并|然后|已经\w*年"
        r"|(?<=.)(?:很久|好久|好几年|" + _NUMBER + "年|" + _NUMBER + r"个月)了?$)"
    ),
    trailing=re.compile(r"(?:了|啊|呀|哦|哈|的|啦|喔|～|~|\s)+$"),
    transient=word_set("-"),
    no_taste=word_set("-"),
    village=re.compile("(?!)"),
    no_place=word_set("-"),
    no_name=word_set("-"),
    jobs=re.compile(_JOBS),
    languages=word_set("-"),
    joiners=re.compile(r"[、，,和与跟及]|以及|还有"),
    degree=re.compile(r"^(?:一点点?|一些|流利的?|基础的?|少许)"),
    mine=((re.compile(r"我们的?|我們的?|我的?"), "自己的"),),
)
_TRANSIENT = re.compile(
    r"今天|明天|昨天|刚才|现在就|这|那个|那些|那种|你|您|回答|答案|等一下|待会|代码|错误|问题|作业|文章|下周|周末"
)


def _value(value: str) -> str | None:
    value = W.tidy(value)
    return None if not value or len(value) > 30 or _TRANSIENT.search(value) else W.third(value)


def _place(value: str) -> str | None:
    value = re.sub(r"(?:工作|上班|上学|生活|定居|附近)?(?:了)?$", "", W.tidy(value))
    refused = not 1 < len(value) <= 12 or re.search(
        r"我|家里|学校|公司|宿舍|酒店|梦|这|那|恐惧|农村|市中心|一个|哪|朋友|父母|爸|妈|他|她", value
    )
    return None if refused else value


def _employer(value: str) -> str | None:
    value = W.tidy(value)
    refused = not 1 < len(value) <= 14 or re.search(r"我|家|这|那|网上|线上|晚上|哪|办公室|努力|认真|夜|一起|忙", value)
    return None if refused else value


def _name(value: str) -> str | None:
    value = W.tidy(value)
    good = re.fullmatch(r"[\u4e00-\u9fff·]{2,6}|[A-Za-z][A-Za-z .'-]{1,25}", value)
    return value if good and not re.search(r"我|你|他|她|什么|不|的|是|外卖|车|人", value) else None


def _languages(value: str) -> str | None:
    parts = [W.degree.sub("", part.strip()) for part in W.joiners.split(W.tidy(value)) if part.strip()]
    return "、".join(parts) if parts and all(re.fullmatch(_LANGUAGE, part) for part in parts) else None


def _food(value: str) -> str | None:
    value = _value(value) or ""
    return value if value and not re.match(r"[早午晚]?饭|东西|完|饱|下|了|药", value) else None


def _goal(value: str) -> str | None:
    value = _value(value) or ""
    lasting = re.search(
        r"学会|学习|学好|成为|当(?:一)?[名个]?\w|马拉松|减肥|减重|戒烟|戒酒|存钱|买房|买一?[套栋]房|创业|开一?家|移民|出国"
        r"|留学|考(?:上|取|研|公|博|证)|写一?本|出版|退休|环游|旅行世界|结婚|养一?只|搬到|提高|瘦",
        value,
    )
    return value if lasting else None


def _project(value: str) -> str | None:
    value = _value(value) or ""
    return (
        value
        if re.search(
            r"小说|书|论文|博客|应用|软件|游戏|网站|专辑|电影|纪录片|播客|房子|机器人|剧本|诗集|回忆录|app|App|APP|公司|品牌"
            r"|项目",
            value,
        )
        else None
    )


def _note(sentence: str) -> str | None:
    """ "我的车是红色的" is "车是红色的"."""
    sentence = sentence.strip(" ，,。！!")
    if re.match(r"你|您|用户|要|去|把|帮", sentence) or len(sentence) < 3:
        return None
    return W.third(re.sub(r"^(?:我们的|我的|我们|我)", "", sentence))


TABLE: tuple[Entry, ...] = (
    ("name", "name", rf"{_I}(?:的)?(?:名字|姓名|全名)(?:是|叫)(?P<value>.+)", "名叫{}", _name),
    ("name", "name", r"我(?:名)?叫(?:做)?(?P<value>.+)", "名叫{}", _name),
    ("called", "name", r"(?:大家|朋友们?|你可以|你们可以|请|可以)(?:都)?(?:叫|喊|称呼)我(?P<value>.+)", "别名{}", _name),
    ("age", "age", rf"{_I}{_ADV}(?P<value>{_NUMBER})[岁歲]", "{}岁", str),
    ("birthday", "birthday", rf"{_I}的?生日是(?:在)?(?P<value>{_NUMBER}月{_NUMBER}[日号])", "生日是{}", str),
    ("birthday", "birthday", rf"{_I}(?:出生于|生于|是)(?P<value>\d{{4}}年(?:{_NUMBER}月)?(?:{_NUMBER}[日号])?)(?:出生|生)?",
     "{}出生", str),
    ("location", "location", rf"{_I}{_ADV}(?:家住?在|住在|居住在|定居在|生活在|住)(?P<value>.+)", "住在{}", _place),
    ("location", "location", rf"{_I}(?:现在|目前)在(?P<value>[\u4e00-\u9fff]{{2,8}}?)(?:生活|定居|居住)", "住在{}", _place),
    ("location", "location", rf"{_I}{_ADV}(?:搬到|搬去|搬来|移居|搬家到)了?(?P<value>[\u4e00-\u9fffA-Za-z]+)", "住在{}", _place),
    ("origin", "origin", rf"{_I}{_ADV}(?:来自|來自)(?P<value>.+)", "来自{}", _place),
    ("origin", "origin", rf"{_I}{_ADV}在(?P<value>[\u4e00-\u9fff]{{2,8}}?)(?:出生|长大|長大)", "在{}长大", _place),
    ("origin", "origin", rf"{_I}{_ADV}出生[在于](?P<value>[\u4e00-\u9fff]{{2,8}})", "在{}出生", _place),
    ("origin", "origin", rf"{_I}的?(?:老家|家乡|故乡)(?:是|在)(?P<value>.+)", "老家在{}", _place),
    ("origin", "origin", rf"{_I}是(?P<value>(?!好|坏|女|男|老|年轻|大|本地|个|一个|什么|哪|同|过"
     rf"|成)[\u4e00-\u9fff]{{2,5}})人{_END}", "是{}人", _place),
    ("job", "job", rf"{_I}{_ADV}(?:是|当|做|作为)(?:一?[名个位])?(?P<value>{_JOBS}){_END}", "是{}", str),
    ("job", "job", r"作为(?:一?[名个位])?(?P<value>" + _JOBS + r")", "是{}", str),
    ("job", "job", r"我的?(?:职业|工作|职位)是(?:一?[名个位])?(?P<value>.+)", "职业是{}", lambda value: _job(value)),
    ("job", "job", rf"{_I}{_ADV}(?:在\w*?(?:大学|学院|学校))?(?:学习|攻读|读|主修)(?P<value>(?!一下|如何|怎么|了"
     rf"|{_LANGUAGE})[\u4e00-\u9fff]{{2,10}}?)(?:专业|系)?{_END}", "学习{}", lambda value: _subject(value)),
    ("job", "job", rf"{_I}{_ADV}(?P<value>退休|失业|待业|自由职业|创业)了?{_END}", "{}", str),
    ("job", "job", rf"{_I}{_ADV}教(?P<value>(?:高中|初中|小学|大学)?(?:数学|语文|英语|物理|化学|历史|音乐|美术|体育|地理|生物))",
     "教{}", str),
    ("employer", "employer", rf"{_I}{_ADV}在(?P<value>[\u4e00-\u9fffA-Za-z ]+?)(?:工作|上班|任职|当|做)", "在{}工作", _employer),
    ("kin", "relationship", rf"{_I}(?:的)?(?P<who>{_KIN})(?:的名字)?(?:叫做?|名叫|是叫)(?P<value>.+)", "{who}叫{}", _name),
    ("kin named", "relationship", rf"{_I}{_ADV}(?:有|养了?|養了?"
     rf"|领养了)(?P<who>一?[只條条个位匹隻](?:\w{{0,3}})?{_KIN})[，,]?(?:名字)?(?:叫做?|名叫|它叫|他叫"
     rf"|她叫)(?P<value>[\u4e00-\u9fffA-Za-z]+)", "有{who}叫{}", _name),
    ("kins", "relationship", rf"{_I}{_ADV}(?:有|养了?|養了?|领养了)(?P<value>{_NUMBER}[个只条位匹隻條]\w{{0,3}}?(?:{_KIN}"
     rf"|孩子|小孩|女儿|儿子|兄弟|姐妹|猫|狗|兔子))", "有{}", str),
    ("state", "relationship", rf"{_I}{_ADV}(?P<value>结婚|結婚|离婚|離婚|单身|單身|订婚|丧偶|独生子|独生女|单亲妈妈"
     rf"|单亲爸爸)了?{_END}", "{}", str),
    ("diet", "diet", rf"{_I}{_ADV}(?:是)?(?:一?个)?(?P<value>吃素|素食者|素食主义者|纯素食者|纯素|乳糖不耐受|乳糖不耐"
     rf"|麸质不耐受|糖尿病患者|清真|不吃肉){_END}", "{}", str),
    ("diet", "diet", rf"{_I}{_ADV}对(?P<value>.+?)[过過]敏", "对{}过敏", _value),
    ("diet", "diet", rf"{_I}(?:从来|从|一直|都|已经|现在|平时)*(?P<verb>不吃|不喝|不能吃|不能喝|不碰)(?P<value>.+)", "{verb}{}",
     _food),
    ("health", "note", rf"{_I}{_ADV}(?:有|患有|得了)(?P<value>糖尿病|哮喘|偏头痛|高血压|癫痫|抑郁症|焦虑症|关节炎|近视|鼻炎"
     rf"|多动症)", "有{}", str),
    ("health", "note", rf"{_I}是(?:一?个)?(?P<value>左撇子|色盲|聋人|盲人|孕妇|单亲妈妈)", "是{}", str),
    ("language", "language", rf"{_I}{_ADV}(?:会说|會說|会讲|能说|说|会|精通)(?P<value>.+)", "会说{}", _languages),
    ("language", "language", rf"{_I}不会说(?P<value>.+)", "不会说{}", _languages),
    ("language", "language", rf"{_I}{_ADV}(?:在)?(?:学习|学|學|自学)(?:说)?(?P<value>{_LANGUAGE})", "在学{}", str),
    ("language", "language", rf"{_I}的?母语是(?P<value>{_LANGUAGE})", "母语是{}", str),
    ("project", "project", rf"{_I}{_ADV}(?P<verb>写|开发|做|制作|翻修|装修|创作|编写|拍)(?P<value>(?:一?[本个部款张篇套家])?.+)",
     "在{verb}{}", _project),
    ("goal", "goal", rf"{_I}{_ADV}(?:想要|想|打算|计划|准备|立志|梦想|努力)(?:以后|将来|明年|有一天)*(?P<value>.+)", "想{}",
     _goal),
    ("goal", "goal", rf"{_I}(?:今年|人生)?的?(?:目标|梦想|愿望|理想)(?:就)?是(?P<value>.+)", "目标是{}", _value),
    ("favourite", "preference", rf"{_I}最(?:喜欢|喜歡|爱|喜爱)的(?P<what>[\u4e00-\u9fff]{{1,6}})(?:就)?是(?P<value>.+)",
     "最喜欢的{what}是{}", _value),
    ("dislike", "preference", rf"{_I}(?:一点也|一点都|并|从来|实在|很|非常|真的|特别|都|不太|最)*(?P<verb>不喜欢|不喜歡|不爱"
     rf"|讨厌|討厭|受不了|不太喜欢|恨|害怕)(?P<value>.+)", "{verb}{}", _value),
    ("compare", "preference", rf"比起(?P<than>[\u4e00-\u9fff]+?)[，,]?我{_ADV}(?:更)?(?:喜欢|爱)(?P<value>.+)",
     "比起{than}更喜欢{}", _value),
    ("like", "preference", rf"{_I}{_ADV}(?:喜欢|喜歡|喜爱|热爱|爱|酷爱|偏爱|迷上了?|爱好)(?P<value>.+)", "喜欢{}", _value),
    ("hobby", "preference", rf"{_I}的?(?:爱好|兴趣|业余爱好)(?:爱好)?(?:就)?是(?P<value>.+)", "爱好是{}", _value),
    ("plays", "preference", rf"{_I}{_ADV}(?:会)?(?P<value>弹钢琴|弹吉他|拉小提琴|打篮球|踢足球|打网球|打羽毛球|下围棋|下象棋"
     rf"|打乒乓球|画画|收集\w+){_END}", "{}", str),
)  # fmt: skip


def _job(value: str) -> str | None:
    value = W.tidy(value)
    return value if 1 < len(value) <= 12 and not re.search(r"很|太|不|我|无聊|累|什么", value) else None


def _subject(value: str) -> str | None:
    return None if re.search(rf"书|文章|这|小说|新闻|{_LANGUAGE}", value) else value


_ASKED = (
    r"(?:什么|怎么|怎样|哪|谁|为什么|为何|如何|多少|几[个点岁]|是不是|能不能|会不会|可不可以|有没有|要不要|该不该|吗|我应该|我该)"
)
CHINESE = Language(
    code="zh",
    on=True,
    words=frozenset(),
    guard=Guard(
        about_a_text=re.compile(
            r"翻译|翻譯|总结(?:一下|这|以下)|概括|修改(?:这|一下|下面|我的)|润色|校对|改写|语法|用\w{1,5}(?:怎么说|语怎么说)"
            r"|怎么翻|什么意思|(?:下面|以下|这)(?:是|段|篇|封)(?:一)?(?:我的|的)?(?:文字|文章|信|邮件|短信|句子|作文)|造句"
            r"|例句|比较这"
        ),
        invented=re.compile(
            r"想象|想像|假设|假如你|假装|假裝|扮演|角色扮演|你(?:现在|来)?(?:是|当|做)(?:一|我|个|[^，。？]{1,8}，我(?:是|当"
            r"|来))|游戏里|小说里|梦里|故事里|剧本里|场景[：:是]|如果我是|忽略(?:所有|之前|以上)|(?:添加|加入|保存|存|写"
            r"|记录)\w{0,8}(?:记忆|内存|档案)|(?:记忆|内存)(?:里|中)"
            r"|(?<![在想正])(?:写|讲|编|创作|生成)[^，。？！\n]{0,12}(?:故事|诗|歌|对话|小说|剧本|笑话|演讲|童话|自传|例子)"
            r"|(?:邮件|信|短信|文章|广告|书|牌子|上面|主角|旁白)(?:里|中|上)?(?:说|写|写道|写着)|(?:他|她|妈|爸|奶奶|爷爷"
            r"|老师|老板|朋友|有人|人家|别人|客户|同学|姐姐|哥哥|妹妹|弟弟|同事)"
            r"\w{0,4}(?:说|写道|问|回答|告诉我)[：:，,]|助手(?:必须|应该)"
        ),
        composing=re.compile(
            r"^\W*(?:请你?|帮我|麻烦|你能|能不能|可以)?(?:写|编|生成|重复|回答|输出|保存|添加|忽略|说|告诉我|解释|列出|给我"
            r"|用|忘记|忘掉|计算|推荐)"
        ),
        question=re.compile(rf"^[^，,。；;！!]*{_ASKED}"),
        question_within=re.compile(rf"[，,；;：:。](?=[^，,；;。]*(?:{_ASKED}|可以|能|请|帮|推荐|建议))"),
        condition=re.compile(
            r"如果|要是|假如|倘若|可能|也许|或许|大概|说不定|希望|本来|差点|以前|曾经|据说|听说|应该|好像|不确定|开玩笑|简直"
            r"|恨不得"
            r"|(?:他|她|它|他们|妈妈?|爸爸?|老板|朋友|奶奶|爷爷|别人|大家|有人|老师)(?:总是|总|常常|常|都|经常|一直)?(?:说"
            r"|觉得|认为|以为)"
        ),
        clause_end=re.compile(r"[，,；;：:]"),
        introduction=re.compile(
            "(?:介绍|背景|信息|更正|记住|记得|别忘了|我|情况|补充|你好|您好|名字|年龄|职业|爱好|是的|不是|说明|简介)\\s*$"
        ),
        asks_for_source=re.compile("谁(?:说|唱|写)|电影|歌|书名|名言|句"),
        contrast=re.compile(r"[，,；;](?:但是?|不过|可是)?(?=我?(?:现在|目前|如今)|(?:我是|我住))|(?:但是?|不过)(?=我)"),
    ),
    splitter=Splitter(
        lead=re.compile(
            r"[\s,，:：;；!！.。\x00]*(?:(?:你好|您好|嗨|哈喽|大家好|早上好|晚上好|那个|其实|对了|顺便说一下|顺便说|因为|由于"
            r"|所以|但是|但|而且|不过|可是|另外|还有|首先|说实话|老实说|不对|错了|不是的|更正|请?(?:你)?(?:记住|记得|记一下"
            r"|别忘了|不要忘记)"
            r"|我想告诉你|告诉你|先说一下|自我介绍一下|简单介绍一下|补充一下|谢谢|嗯|啊|哦|好的|是的|没错|目前|现在|最近|平时"
            r"|业余时间|去年|前年|上个月|周末)[\s,，:：;；!！。]*)*"
        ),
        remember=re.compile(r"(?:记住|记得|记一下|别忘了|不要忘记)[，,：:]?\s*(?!要|去|你|把|帮|带)"),
        next=re.compile(
            r"\s*[，,；;：:！!。\n]\s*(?:(?:而且|并且|但是|但|所以|因为|不过|另外|还有|也|同时)\s*)?"
            r"(?:(?P<subject>(?=我|他|她|它|你|您|这|那|请|帮|能|有什么|有没有|怎么|什么|可以|大家|朋友|比起))"
            r"|(?P<verb>(?=住|来自|是|在|喜欢|讨厌|不喜欢|不吃|不喝|吃素|会说|有|养|今年|现在|目前|已婚|对|学|"
            + _NUMBER
            + r"岁|最喜欢|爱|职业|正在|特别|很喜欢|爱好|平时)))"
        ),
        verb="我",
        complement="",
        takes_verb=re.compile(r"我"),
        takes_complement=re.compile(r"(?!)"),
        unreal=re.compile(r"我[^，]*(?:想|希望|打算|要是)"),
        reordered=((re.compile(r"^我(?:现在|目前)(?=住)"), "我"), (re.compile(r"^(?:我们家|我家)(?=住|在)"), "我")),
    ),
    rules=rules(TABLE),
    first_person=re.compile(r"我|俺|咱"),
    somebody=re.compile(rf"他|她|{_KIN}|孩子|父母|别人"),
    transient=frozenset(),
    note=_note,
    describe=describer(TABLE),
)
