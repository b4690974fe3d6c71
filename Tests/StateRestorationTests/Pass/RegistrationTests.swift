import Testing

@testable import StateRestoration

@Suite struct RegistrationTests {
    @Test func `P12: an object that is registered again gives up its earlier identifier`() throws {
        let objects = [TestObject(nil, .object), TestObject(nil, .object)]
        let test = try TestScene.launched(TestObject("nav"))
        func register(_ object: TestObject, _ identifier: RestorationIdentifier) throws {
            try test.scene.registerObject(
                forStateRestoration: object, restorationIdentifier: identifier)
        }
        try register(objects[0], "a")
        try register(objects[0], "b")
        try register(objects[1], "a")
        #expect(throws: RegistrationError.self) { try register(objects[1], "b") }
        test.save()
        #expect(test.archive.paths == ["a", "b", "nav"])
        #expect(test.scene.registeredObjects.count == 2)
        withExtendedLifetime(objects) {}
    }

    @Test func `P18: a registered object that no longer exists is removed by the next full pass`()
        throws
    {
        let root = TestObject("nav")
        let test = try TestScene.launched(root)
        do {
            let player = TestObject(nil, .object)
            player.parentObject = root
            try test.scene.registerObject(
                forStateRestoration: player, restorationIdentifier: "player")
            test.save()
            #expect(test.archive.paths == ["nav", "nav/player"])
            withExtendedLifetime(player) {}
        }
        let other = TestObject(nil, .object)
        try test.scene.registerObject(forStateRestoration: other, restorationIdentifier: "other")
        test.save()
        #expect(test.archive.paths == ["nav", "nav/player", "other"])
        test.save(isFull: true)
        #expect(test.archive.paths == ["nav", "other"])
        withExtendedLifetime(other) {}
    }

    @Test func `P12: an object that already has its identifier is saved after its registration`()
        throws
    {
        let settings = TestObject("settings", .object, value: 3)
        let test = try TestScene.launched(TestObject("nav"))
        test.save()
        #expect(!test.scene.needsPass)
        try test.scene.registerObject(
            forStateRestoration: settings, restorationIdentifier: "settings")
        #expect(test.scene.needsPass)
        test.save()
        #expect(test.archive.paths == ["nav", "settings"])
        #expect(try test.archive.values(at: "settings")["value"] == .integer(3))
        withExtendedLifetime(settings) {}
    }

    // MARK: Without a pass

    /// Returns the number of elements of a private collection.
    private func count(_ label: String, in object: Any) throws -> Int {
        let value = try #require(Mirror(reflecting: object).descendant(label))
        return Mirror(reflecting: value).children.count
    }

    @Test(arguments: [false, true])
    func `P12: an object is listed as soon as it is registered, whether or not state is saved`(
        saves: Bool
    ) throws {
        let (root, other) = (TestObject("nav"), TestObject("other"))
        root.add(other)
        let test = try TestScene.launched(root) { $0.saves = saves }
        test.save()
        let (settings, player) = (TestObject(nil, .object), TestObject(nil, .object))
        player.parentObject = root
        try test.scene.registerObject(
            forStateRestoration: settings, restorationIdentifier: "settings")
        try test.scene.registerObject(forStateRestoration: player, restorationIdentifier: "player")
        let survey = TreeSurvey(test.scene)
        #expect(survey.object(at: "nav/player") === player)
        #expect(survey.object(at: "settings") === settings)
        player.parentObject = other
        player.restoration.invalidateStructure()
        #expect(
            survey.entries().map(\.address)
                == ["nav", "nav/other", "nav/other/player", "settings"])
        #expect(survey.object(at: "nav/player") == nil)
        test.delegate.saves = true
        test.save()
        #expect(test.archive.paths == ["nav", "nav/other", "nav/other/player", "settings"])
    }

    @Test func `P12: an object is found that is registered when a view is loaded`() throws {
        let (root, player) = (TestObject("nav"), TestObject(nil, .object))
        let test = try TestScene.launched(root)
        test.save()
        player.parentObject = root
        root.loading = { [unowned root] in
            root.loading = nil
            #expect(throws: Never.self) {
                try test.scene.registerObject(
                    forStateRestoration: player, restorationIdentifier: "player")
            }
        }
        #expect(TreeSurvey(test.scene).object(at: "nav/player") === player)
    }

    @Test func `P1: registrations take limited memory while the delegate refuses to save`() throws {
        let root = TestObject("nav")
        let test = try TestScene.launched(root) { $0.saves = false }
        for number in 0..<3000 {
            let object = TestObject(nil, .object)
            let identifier = try RestorationIdentifier(validating: "object\(number % 2)")
            try test.scene.registerObject(
                forStateRestoration: object, restorationIdentifier: identifier)
            // As if a command had encoded a reference to the object.
            _ = test.scene.records.number(of: object)
            object.change(to: number)
            #expect(test.save() == nil)
        }
        #expect(try count("entries", in: test.scene.registrations) <= 1)
        #expect(test.scene.records.request.nodes.count <= 2000)
        test.delegate.saves = true
        test.save()
        #expect(test.archive.paths == ["nav"])
    }

    @Test func `P1: a refused pass does not request another pass`() throws {
        let test = try TestScene.launched(TestObject("nav")) { $0.saves = false }
        var requestCount = 0
        test.scene.records.onPassNeeded = { requestCount += 1 }
        let object = TestObject(nil, .object)
        try test.scene.registerObject(forStateRestoration: object, restorationIdentifier: "object")
        test.save()
        let countAfterPass = requestCount
        test.save()
        #expect(requestCount == countAfterPass)
        withExtendedLifetime(object) {}
    }

    @Test func `P12: an object that is registered repeatedly keeps only its last identifier`()
        throws
    {
        let object = TestObject(nil, .object)
        let test = try TestScene.launched(TestObject("nav"))
        for number in 0..<100 {
            let identifier = try RestorationIdentifier(validating: "object\(number)")
            try test.scene.registerObject(
                forStateRestoration: object, restorationIdentifier: identifier)
        }
        #expect(try count("indexesByIdentifier", in: test.scene.registrations) == 1)
        test.save()
        #expect(test.archive.paths == ["nav", "object99"])
    }

    @Test func `P1: marked orphans are listed once while the delegate refuses to save`() throws {
        let (root, orphan) = (TestObject("nav"), TestObject("orphan", value: 1))
        root.reference = orphan
        let test = try TestScene.launched(root)
        test.save()
        #expect(test.archive.paths == ["nav", "orphan"])
        test.delegate.saves = false
        for number in 0..<3000 {
            orphan.restoration.identifier = number % 2 == 0 ? "first" : "second"
            if number % 100 == 99 { #expect(test.save() == nil) }
        }
        #expect(test.scene.records.request.nodes.count <= 2000)
        test.delegate.saves = true
        test.save()
        #expect(test.archive.paths == ["nav", "second"])
    }
}
