import StateRestoration
import Testing

/// A restoration class whose instances are not restorable objects.
private enum Finder: ObjectRestoration {
    static func object(
        withRestorationIdentifierPath path: RestorationPath, coder: StateDecoder
    ) -> (any StateRestoring)? { nil }
}

@Suite struct ClassRegistryTests {
    @Test func `P13: an unregistered class is known by its unqualified type name`() {
        let registry = ClassRegistry()
        #expect(registry.token(for: OtherObject.self) == "OtherObject")
        #expect(registry.match(OtherObject.self, to: "OtherObject") == .sameClass)
        #expect(registry.match(DerivedObject.self, to: "OtherObject") == .subclass)
        #expect(registry.match(TestObject.self, to: "OtherObject") == .unknownName)
    }

    @Test func `P13: a registered class is known by its name and its aliases`() {
        var registry = ClassRegistry()
        registry.register(OtherObject.self, as: "Other", aliases: ["Old", "Older"])
        #expect(registry.token(for: OtherObject.self) == "Other")
        for name in ["Other", "Old", "Older"] {
            #expect(registry.match(OtherObject.self, to: name) == .sameClass)
            #expect(registry.match(DerivedObject.self, to: name) == .subclass)
            #expect(registry.match(TestObject.self, to: name) == .mismatch)
        }
    }

    @Test
    func
        `P13: a class with a custom name also matches its type name unless another class claims it`()
    {
        var registry = ClassRegistry()
        registry.register(OtherObject.self, as: "Other")
        #expect(registry.match(OtherObject.self, to: "OtherObject") == .sameClass)
        registry.register(MadeObject.self, aliases: ["OtherObject"])
        #expect(registry.match(OtherObject.self, to: "OtherObject") == .mismatch)
    }

    @Test func `P13: a restoration class is found by its name and its aliases`() {
        var registry = ClassRegistry()
        #expect(registry.token(for: Finder.self) == "Finder")
        #expect(!registry.isRegistered(Finder.self))
        #expect(registry.restorationClass("Finder") == nil)
        registry.registerRestorationClass(Finder.self, as: "Seeker", aliases: ["Finder"])
        #expect(registry.token(for: Finder.self) == "Seeker")
        #expect(registry.isRegistered(Finder.self))
        #expect(registry.restorationClass("Seeker") == Finder.self)
        #expect(registry.restorationClass("Finder") == Finder.self)
    }

    @Test func `P13: a class that is its own restoration class has one name for both roles`() {
        var registry = ClassRegistry()
        registry.register(MadeObject.self, as: "Made", aliases: ["Old"])
        #expect(registry.token(for: MadeObject.self) == "Made")
        #expect(registry.token(for: MadeObject.self) == "Made")
        #expect(registry.isRegistered(MadeObject.self))
        for name in ["Made", "Old"] {
            #expect(registry.restorationClass(name) == MadeObject.self)
            #expect(registry.match(MadeObject.self, to: name) == .sameClass)
        }
        registry.register(OtherObject.self)
        #expect(registry.restorationClass("OtherObject") == nil)
    }

    @Test func `P13: two classes with the same name are refused, and the error names both classes`()
        throws
    {
        var registry = ClassRegistry()
        registry.register(TestObject.self, as: "Thing")
        try registry.validate()
        registry.register(OtherObject.self, as: "Thing")
        let error = #expect(throws: ClassRegistryError.self) { try registry.validate() }
        #expect(
            error?.problems == [
                .duplicateToken(
                    token: "Thing", first: "StateRestorationTests.TestObject",
                    second: "StateRestorationTests.OtherObject")
            ])
        #expect(
            error?.description
                == "StateRestorationTests.TestObject and StateRestorationTests.OtherObject are "
                + "both registered under the class name \"Thing\": register one of them under another name"
        )
    }

    @Test func `P13: an alias that belongs to another class is refused`() throws {
        for register: (inout ClassRegistry) -> Void in [
            { $0.register(OtherObject.self, aliases: ["Old"]) },
            { $0.register(OtherObject.self, as: "Old") },
            { $0.registerRestorationClass(Finder.self, aliases: ["Old"]) },
            { $0.registerRestorationClass(Finder.self, as: "Old") },
        ] {
            var registry = ClassRegistry()
            registry.register(TestObject.self, aliases: ["Old"])
            register(&registry)
            let error = #expect(throws: ClassRegistryError.self) { try registry.validate() }
            #expect(error?.problems.count == 1)
        }
    }

    @Test func `a class can be registered again without losing its make closure`() throws {
        var registry = ClassRegistry()
        registry.register(MadeObject.self, make: { MadeObject(nil) })
        registry.register(MadeObject.self, aliases: ["Old"])
        registry.registerRestorationClass(MadeObject.self)
        try registry.validate()
        #expect(registry.makeObject("MadeObject") is MadeObject)
        #expect(registry.match(MadeObject.self, to: "Old") == .sameClass)
    }

    @Test(arguments: [
        ("", ClassRegistryError.Problem.emptyToken(type: "StateRestorationTests.TestObject")),
        (
            "a/b",
            .forbiddenCharacter(token: "a/b", type: "StateRestorationTests.TestObject")
        ),
        (
            "a\n",
            .forbiddenCharacter(token: "a\n", type: "StateRestorationTests.TestObject")
        ),
        (
            String(repeating: "é", count: 128),
            .tokenTooLong(
                token: String(repeating: "é", count: 128),
                type: "StateRestorationTests.TestObject", bytes: 256)
        ),
    ])
    func `P13: an invalid class name or alias is refused`(
        token: String, problem: ClassRegistryError.Problem
    ) throws {
        var named = ClassRegistry()
        named.register(TestObject.self, as: token)
        var known = ClassRegistry()
        known.register(TestObject.self, aliases: [token])
        for registry in [named, known] {
            let error = #expect(throws: ClassRegistryError.self) { try registry.validate() }
            #expect(error?.problems == [problem])
            #expect(error?.description.contains("StateRestorationTests.TestObject") == true)
            #expect(error?.description.contains("\n") == false)
        }
    }

    @Test func `P13: a class name can be 255 bytes long`() throws {
        var registry = ClassRegistry()
        registry.register(TestObject.self, as: String(repeating: "é", count: 127) + "x")
        try registry.validate()
    }

    @Test func `only classes with a make closure can be instantiated`() {
        var registry = ClassRegistry()
        registry.register(TestObject.self, aliases: ["Older"], make: { TestObject(nil) })
        registry.register(OtherObject.self, aliases: ["Old"])
        registry.registerRestorationClass(Finder.self)
        #expect(registry.makeObject("TestObject") is TestObject)
        #expect(registry.makeObject("OtherObject") == nil)
        #expect(registry.makeObject("Finder") == nil)
        #expect(registry.makeObject("Unknown") == nil)
        #expect(registry.constructibleTokens == ["TestObject"])
    }
}
