import StateRestoration
import Testing

@Suite struct RestorationPathTests {
    @Test func `I2: a path is written with slashes`() {
        let path = RestorationPath(["nav", "parent"]).appending("child1").appending("textField")
        #expect(path.description == "nav/parent/child1/textField")
        #expect(path.components.count == 4)
    }

    @Test func `I5: paths are compared by the bytes of their identifiers`() {
        #expect(RestorationPath(["\u{E9}"]) != RestorationPath(["e\u{301}"]))
        #expect(RestorationPath(["a", "b"]) == RestorationPath(["a"]).appending("b"))
    }
}
