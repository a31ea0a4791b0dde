"""The words of Hero's worlds. No word is in two pools, so that a word tells what it names; none means anything else."""

from collections.abc import Mapping, Sequence


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


TRAITS: Mapping[str, Sequence[str]] = {
    "class": _words("potter weaver falconer miller cooper tinker glazier mason drover fowler chandler sawyer"),
    "role": _words("courier bailiff lookout surgeon ferryman trapper clerk porter usher mapper sexton crier"),
    "origin": _words(
        "saltfen highmoor redcliff ashmere coldwell longreach dimwood farholt eastmarch stillbay broadlea tarnside"
    ),
    "guild": _words("heron otter ram lynx stag crane badger adder finch boar hare wren"),
    "omen": _words("comet eclipse frost ember tide thunder mist gale dusk dawn drought flood"),
}
"""What a rule can depend on: attributes with their values."""

OTHER_TRAITS: Mapping[str, Sequence[str]] = {
    "species": _words("ogre troll wyvern goblin kelpie basilisk harpy golem"),
    "habit": _words("prowling hoarding burrowing howling napping circling gnawing lurking"),
    "temper": _words("sullen boastful skittish placid spiteful merry haughty timid"),
    "hide": _words("scaled furred feathered plated slimy leathery bristled mossy"),
    "gait": _words("limping loping waddling creeping trotting hopping slithering stomping"),
}
"""What the entities of distractors have instead, as many of them."""

RITUALS: Sequence[str] = _words("""
    low_chant high_chant slow_bow deep_bow long_vigil brief_vigil ringed_dance silent_dance ninefold_knock
    backward_march barefoot_march whispered_oath shouted_oath folded_salute crossed_salute candle_round lantern_round
    pebble_toss feather_toss chalk_drawing ash_drawing double_clap triple_clap veiled_hymn
    """)
POTIONS: Sequence[str] = _words("""
    bitter_tonic sweet_tonic amber_draught cloudy_draught nettle_brew clover_brew iron_elixir silver_elixir
    smoky_philtre pale_philtre juniper_cordial quince_cordial boiled_tincture chilled_tincture mossy_infusion
    peppery_infusion black_syrup golden_syrup honeyed_posset salted_posset frothy_tisane plain_tisane thin_potion
    thick_potion
    """)
PLACES: Sequence[str] = _words("""
    keep tower bridge quarry orchard harbor chapel cellar meadow crypt dam gorge pasture causeway lighthouse barn
    terrace cavern garrison marsh ford grove aqueduct kiln observatory plateau ravine stable dovecote vineyard
    watermill amphitheatre belfry canal dune glacier hamlet islet jetty lagoon
    """)
SHOPS: Sequence[str] = _words("forge bazaar armory tannery fletchery emporium pawnshop outfitter")
SIZES: Sequence[str] = _words("short long broad narrow heavy light")
WEAPONS: Sequence[str] = _words("blade spear axe mace bow hammer sling")
FIRST_NAMES: Sequence[str] = _words("""
    Abel Brina Corin Delia Edric Fenna Galen Hilda Ivo Jorun Kester Lioba Magnus Nerys Osric Petra Quill Rowena Silas
    Thea Ulric Vesna Wystan Xenia Yorick Zelda Alaric Berit Cedric Dagny Emeric Frida Godwin Henrike Ingram Jutta Kenelm
    Linnea Morcant Nessa
    """)
LAST_NAMES: Sequence[str] = _words("""
    Applewood Barrow Castell Dunmore Elderby Farrow Greaves Holloway Inchbald Jessop Kettering Lockwood Mumford Norwood
    Oakshott Pembury Quennell Ravenscar Stainforth Thackeray Underhill Vickers Wetherby Yarwood Zouch Ackerley Blythe
    Cobham Dacre Eccles Fenwick Garrick Hathersage Ilkeston Jolliffe Kirkbride Lathom Marwood Netherby Ormsby
    """)
START = "crossroads"

POOLS: Mapping[str, Sequence[str]] = {
    **TRAITS,
    **OTHER_TRAITS,
    "ritual": RITUALS,
    "potion": POTIONS,
    "place": PLACES,
    "shop": SHOPS,
    "size": SIZES,
    "weapon": WEAPONS,
    "first name": FIRST_NAMES,
    "last name": LAST_NAMES,
    "start": (START,),
}
"""Every pool by what its words name."""
