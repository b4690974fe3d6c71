import StateRestoration
import Testing

@Suite struct RestoredRegisteredObjectTests {
    /// Returns an archive with the saved state of a scene that has a registered object.
    private func archive(restorationClass: (any ObjectRestoration.Type)?) throws -> MemoryArchive {
        let test = TestScene(TestDelegate(TestObject("nav")), classes: .withMadeObject)
        let player = MadeObject("player", .object, value: 6)
        player.restoration.restorationClass = restorationClass
        test.delegate.launching = {
            try $0.registerObject(forStateRestoration: player, restorationIdentifier: "player")
        }
        try test.launch()
        test.save()
        return test.archive
    }

    @Test func `R7: a registered object without a restoration class must already exist`() throws {
        let archive = try archive(restorationClass: nil)
        var asked: [String] = []
        let test = try TestScene.launched(
            TestObject("nav"), archive: archive, classes: .withMadeObject
        ) {
            $0.making = { path, _ in
                asked.append(path.description)
                return MadeObject(nil, .object)
            }
        }
        #expect(test.unrestored == ["player: no-object"])
        #expect(asked == [])
    }

    @Test func `P12: all registered objects below an object without an identifier are restored`()
        throws
    {
        let archive = MemoryArchive()
        for value in [7, nil] {
            let gap = TestObject(nil)
            let registered = ["one", "two", "three"].map { name in
                TestObject(RestorationIdentifier(recorded: name), .object, value: value)
            }
            let test = try TestScene.launched(TestObject("nav"), archive: archive) {
                $0.launching = { scene in
                    for object in registered {
                        object.parentObject = gap
                        try scene.registerObject(
                            forStateRestoration: object,
                            restorationIdentifier: try #require(object.restoration.identifier))
                    }
                }
            }
            #expect(test.unrestored == [])
            #expect(registered.map(\.value) == [7, 7, 7])
            test.save()
            #expect(archive.paths == ["nav", "one", "three", "two"])
            withExtendedLifetime(gap) {}
        }
    }

    @Test func `R7: a registered object is created by its restoration class and registered`() throws
    {
        let archive = try archive(restorationClass: MadeObject.self)
        let player = MadeObject(nil, .object)
        var seen: [String] = []
        let test = try TestScene.launched(
            TestObject("nav"), archive: archive, classes: .withMadeObject
        ) {
            $0.making = { path, coder in
                let value = try? coder.decode(Int.self, forKey: "value")
                seen.append("\(path) \(value ?? 0)")
                return player
            }
        }
        #expect(seen == ["player 6"])
        #expect(test.unrestored == [])
        #expect(player.value == 6)
        #expect(player.restoration.identifier == "player")
        #expect(player.restoration.restorationClass == MadeObject.self)
        #expect(test.scene.registeredObjects.contains { $0 === player })
        #expect(test.save()?.isEmpty == true)
    }

    @Test func `R7: a registered object is not restored if its restoration class returns nil`()
        throws
    {
        let archive = try archive(restorationClass: MadeObject.self)
        let player = MadeObject(nil, .object)
        let root = TestObject("nav", value: 1)
        let test = TestScene(TestDelegate(root), archive: archive, classes: .withMadeObject)
        test.delegate.launching = {
            try $0.registerObject(forStateRestoration: player, restorationIdentifier: "player")
        }
        try test.launch()
        #expect(test.unrestored == ["player: restoration-class-nil"])
        #expect(player.decodings == 0)
        #expect(root.decodings == 1)
    }

    @Test func `R7: a registered object at a different path does not match the record`() throws {
        let archive = try archive(restorationClass: nil)
        // The object's path is `nav/player`, but the saved path is `player`.
        let root = TestObject("nav")
        let other = TestObject(nil, .object)
        let test = TestScene(TestDelegate(root), archive: archive, classes: .withMadeObject)
        root.add(other)
        test.delegate.launching = {
            try $0.registerObject(forStateRestoration: other, restorationIdentifier: "player")
        }
        try test.launch()
        #expect(test.unrestored == ["player: no-object"])
        #expect(other.decodings == 0)
    }

    @Test func `R7: a created object is dropped if another object was registered at its path`()
        throws
    {
        let archive = try archive(restorationClass: MadeObject.self)
        let (player, other) = (MadeObject(nil, .object), TestObject(nil, .object))
        let test = try TestScene.launched(
            TestObject("nav"), archive: archive, classes: .withMadeObject
        ) {
            $0.making = { _, coder in
                try coder.scene.registerObject(
                    forStateRestoration: other, restorationIdentifier: "player")
                return player
            }
        }
        #expect(test.unrestored.count == 1)
        #expect(test.unrestored.first?.hasPrefix("player: ") == true)
        #expect(player.decodings == 0)
        #expect(test.scene.registeredObjects.contains { $0 === other })
    }
}
