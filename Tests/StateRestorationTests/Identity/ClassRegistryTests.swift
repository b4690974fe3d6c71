import StateRestoration
import Testing

@Suite struct ClassRegistryTests {
    @Test func `a class that is not registered goes by its type name`() {
        let registry = ClassRegistry()
        #expect(registry.token(for: OtherObject.self) == "OtherObject")
        #expect(registry.accepts(OtherObject("a"), as: "OtherObject"))
        #expect(!registry.accepts(TestObject("a"), as: "OtherObject"))
    }

    @Test func `a registered class goes by its name, and answers to its old ones`() {
        var registry = ClassRegistry()
        registry.register(OtherObject.self, as: "Other", aliases: ["Old", "Older"])
        #expect(registry.token(for: OtherObject.self) == "Other")
        for name in ["Other", "Old", "Older"] {
            #expect(registry.accepts(OtherObject("a"), as: name))
            #expect(!registry.accepts(TestObject("a"), as: name))
        }
    }

    @Test func `an instance of a subclass is accepted`() {
        var registry = ClassRegistry()
        registry.register(OtherObject.self)
        #expect(registry.accepts(DerivedObject("a"), as: "OtherObject"))
    }

    @Test func `two classes under one name are refused`() throws {
        var registry = ClassRegistry()
        registry.register(TestObject.self, as: "Thing")
        try registry.validate()
        registry.register(OtherObject.self, as: "Thing")
        let error = #expect(throws: ClassRegistryError.self) { try registry.validate() }
        #expect(error?.tokens == ["Thing"])
        #expect(error?.description.contains("\"Thing\"") == true)
    }

    @Test func `an alias that another class has is refused`() throws {
        var registry = ClassRegistry()
        registry.register(TestObject.self, aliases: ["Old"])
        registry.register(OtherObject.self, aliases: ["Old"])
        let error = #expect(throws: ClassRegistryError.self) { try registry.validate() }
        #expect(error?.tokens == ["Old"])
    }

    @Test func `a class may be registered again`() throws {
        var registry = ClassRegistry()
        registry.register(TestObject.self)
        registry.register(TestObject.self, aliases: ["Old"])
        try registry.validate()
    }

    @Test func `only classes with a maker are made`() {
        var registry = ClassRegistry()
        registry.register(TestObject.self, make: { TestObject(nil) })
        registry.register(OtherObject.self, aliases: ["Old"])
        #expect(registry.makeObject("TestObject") is TestObject)
        #expect(registry.makeObject("OtherObject") == nil)
        #expect(registry.makeObject("Unknown") == nil)
        #expect(registry.constructibleTokens == ["TestObject"])
    }
}
