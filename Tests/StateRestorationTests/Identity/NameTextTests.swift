import StateRestoration
import Testing

@Suite struct NameTextTests {
    @Test(arguments: ["a~2b", "a~b2", "a~", "~", "a"])
    func `I3: only digits after the last tilde are an ordinal`(text: String) {
        #expect(RestorationIdentifier(recorded: text).withoutOrdinal.text == text)
        let second = RestorationIdentifier(RestorationIdentifier(recorded: text), ordinal: 12)
        #expect(second.text == "\(text)~12")
        #expect(second.withoutOrdinal.text == text)
    }

    @Test func `P13: the error about an invalid class name contains the whole name, escaped`() {
        var registry = ClassRegistry()
        registry.register(TestObject.self, as: "my\nclass")
        let error = #expect(throws: ClassRegistryError.self) { try registry.validate() }
        #expect(
            error?.description
                == "StateRestorationTests.TestObject is registered under the class name "
                + "\"my\\nclass\": remove / and control characters from it")
    }
}
