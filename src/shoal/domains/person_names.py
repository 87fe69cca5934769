"""Given names and family names that many people have, to recognize columns of names; put together for this purpose.

A short list is enough: of a column of names some are always frequent ones. Words that mean colours, months, seasons,
places or trades in the first place are left out where they are no more than rare names.
"""

from __future__ import annotations

import re

_GIVEN = """
aaron abigail adam agnes ahmed aisha alan albert alejandro alex alexander alexandra alexis alfred ali alice alicia
alina alison allison amanda amber amelia amina amy ana anastasia andrea andreas andrei andrew angel angela angelina
anita anja anke ann anna anne annette anthony anton antonio arthur arturo ashley astrid aurora barbara beatrice
beatriz benjamin bernard bernd beth betty beverly birgit bjorn bonnie bradley brandon brenda brian bridget brittany
bruce bryan camila carl carla carlos carmen carol carolina caroline carolyn catherine cecilia charles charlotte cheryl
chloe chris christian christina christine christopher christoph cindy claire clara claudia colin connor craig crystal
cynthia daniel daniela danielle david dawn deborah denise dennis derek diana diane diego dieter dmitri dolores donald
donna doris dorothy douglas dylan edith eduardo edward edwin eileen elaine elena eleanor elias elisabeth elizabeth
ellen emily emma eric erica erik erika ernest ethan eugene eva evelyn fatima felix fernando florian frances francesca
francis francisco frank franz fred frederick friedrich gabriel gabriela gary george gerald gerhard gertrud gisela
giovanni giulia giuseppe gloria gordon grace greg gregory guillermo gustav hannah hans harold harry hassan hazel
heather hector heidi heike heinz helen helena helga henry herbert hermann hiroshi howard hugo ian ibrahim ignacio ines
ingrid irene irina isaac isabel isabella isabelle ivan jack jacob jacqueline jaime james jamie jan jana jane janet
janice jason javier jean jeff jeffrey jennifer jens jeremy jerry jesse jessica jesus joan joanna joao joe johan johann
johannes john johnny jonas jonathan jorge jose joseph joshua juan juana juanita judith judy julia julian julie julio
jurgen justin karen karin karl katarina kate katharina katherine kathleen kathryn kathy katrin keith kelly kenneth
kerstin kevin khalid kimberly klaus kristen kristin kurt kyle larissa larry lars laura lauren laurent lawrence lea
leah lena leo leon leonardo leonie leslie liam lillian linda lisa logan lorenzo lori louis louise lucas lucia lucy
luigi luis luisa lukas luke lydia madeleine magdalena manfred manuel manuela marc marco marcus margaret margarita
maria mariam marianne marie marilyn mario marion marisol mark markus marta martha martin martina mary mateo mathias
matteo matthew matthias maureen mauricio max maximilian megan melanie melissa mia michael michel michelle miguel
mikhail mohamed mohammad mohammed monica monika mustafa nancy natalia natalie natasha nathan nathalie nicholas nicole
nicolas nikita nikolai nina noah nora norma nuria olga oliver olivia omar oscar otto pablo pamela patricia patrick
paul paula paulo pauline pedro peggy peter petra philip philipp philippe phillip phyllis pierre rachel rafael ralf
ralph ramon randy raquel raul raymond rebecca regina renate ricardo richard rita robert roberto rodrigo roger roland
rolf ronald rosa rose rosemary roxana roy ruben rudolf russell ruth ryan sabine salvatore samantha samuel sandra sara
sarah scott sean sebastian sergei sergio sharon sheila shirley silke silvia simon simone sofia sophia sophie stefan
stefanie stephan stephanie stephen steve steven susan susanne sven svetlana sylvia tatiana teresa terry theresa thomas
tiffany timothy tina tobias todd tom tomas tracy tyler ulrich ulrike ursula uwe valentina valerie vanessa vera
veronica victor victoria vincent virginie vladimir volker walter wayne wendy werner wilhelm william wolfgang xavier
yolanda yusuf yvonne zachary zoe
"""
_FAMILY = """
adams aguilar ahmed ali allen alvarez alves anderson andersson ansari bailey baumann becker bennett berger bernard
bianchi brooks brown bryant butler campbell carter castillo castro chan chang chavez chen cheng choi clark coleman
collins colombo contreras cooper costa cox cruz davies davis delgado diaz dietrich dubois dumont dupont durand edwards
ellis esposito evans fernandes fernandez ferrari ferreira fischer fisher fletcher flores foster fournier fuentes fuchs
garcia garcía gibson girard gomez gómez gonzales gonzalez gonzález graham greco griffin gutierrez gutiérrez guzman
hall hamilton hansen hanson harris harrison hartmann hassan henderson henry hernandez hernández herrera hoffmann
hofmann horn huang huber hughes hussain ibrahim ivanov jackson jain jansen janssen jenkins jensen jimenez jiménez
johansson johnson jones jordan juarez jung kaiser kaur keller kelly kennedy khan kim klein koch kowalski krause kruger
kuhn kumar lambert lang larsen laurent lee lefebvre lehmann leroy lewis li lin liu long lopez lópez lorenz ludwig
maier marino marshall martin martinez martínez martins mcdonald medina mehta mendez mendoza mendes meyer miller
mitchell molina moore morales moreau moreno morgan moretti morris müller mueller munoz muñoz murphy murray myers
navarro nelson neumann nguyen nielsen nowak nunez ochoa oliveira olsen olson ortega ortiz owens park parker patel
patterson pereira perez pérez perry petersen peterson petrov pham phillips popescu powell price ramirez ramírez ramos
reyes reed reynolds ribeiro ricci richard richards richardson richter rivera roberts robertson robinson rodrigues
rodriguez rodríguez rogers rojas romano romero rosen ross rossi roth rousseau ruiz russell russo salazar sanchez
sánchez sanders sandoval santiago santos schäfer schmid schmidt schmitt schmitz schneider scholz schröder schubert
schultz schulz schulze schwarz schwartz scott sharma shaw silva simmons simon simpson singh smirnov smith smit soto
stein stevens stewart sullivan suzuki svensson tanaka taylor thomas thompson torres tran tucker turner vargas vasquez
vazquez visser vogel wagner walker wallace walter walters wang ward watanabe watson weber weiss werner west white
wilkinson williams williamson wilson winkler wolf wolff wong wright wu xu yamamoto yang yilmaz young zhang zhao zhou
zimmermann
"""
NAMES = frozenset((_GIVEN + _FAMILY).split())
_WORD = r"[^\W\d_](?:[^\W\d_]|['’])*\.?(?:-[^\W\d_]+)*"
_FORM = re.compile(rf"{_WORD}(?:,? {_WORD}){{0,3}}")


def could_be_name(text: str) -> bool:
    """Tell whether a text is written as names are: one to four words of letters, of which the first begins large.

    >>> [could_be_name(text) for text in ("Anna Schmidt", "SMITH, John P.", "type 2", "none of these five words")]
    [True, True, False, False]
    """
    return text[:1].isupper() and _FORM.fullmatch(text) is not None


def holds_name(text: str) -> bool:
    """Tell whether a text holds a name that many people have.

    >>> holds_name("Schmidt, Ute"), holds_name("Ute"), holds_name("José-Luis")
    (True, False, True)
    """
    words = re.split(r"[\s,.\-]+", text.casefold())
    return any(word in NAMES or _bare(word) in NAMES for word in words)


def _bare(word: str) -> str:
    """Leave accents out."""
    return word.translate(_ACCENTS)


_ACCENTS = str.maketrans("áàâãäåéèêëíìîïóòôõöøúùûüçñý", "aaaaaaeeeeiiiioooooouuuucny")
