from rung.core.seeds import Seed


def test_the_same_name_gives_the_same_stream_and_another_name_another():
    assert Seed("7").child("a", 1).rng().random() == Seed("7").child("a", 1).rng().random()
    assert Seed("7").child("a", 1).rng().random() != Seed("7").child("a", 2).rng().random()


def test_neighbouring_roots_share_no_item():
    items = {Seed(str(root)).child("item", i).hex for root in range(20) for i in range(20)}
    assert len(items) == 400


def test_a_name_cannot_be_split_into_another_path():
    assert Seed("r").child("a/b").hex != Seed("r").child("a", "b").hex
    assert Seed("r").child("a%2Fb").hex != Seed("r").child("a/b").hex


def test_the_stream_is_the_same_on_every_machine():
    seed = Seed("7").child("exam", "farm-v1", 3)
    assert seed.hex[:16] == "3df67a684879ad52"
    assert seed.rng().getrandbits(64) == 17350612607154721740
