import Testing

@testable import StateRestoration

/// Restoration classes and delegates that report why they return no object.
@Suite struct RestorationErrorTests {
    private static let declined = RestorationError.declined("item 24688BDD cannot be read")

    /// Returns an archive with a saved stack of three members. The middle member can have a restoration class.
    private func saved(byClass: Bool) throws -> MemoryArchive {
        let test = TestScene(TestDelegate(StackObject("stack")), classes: .withMadeObject)
        for name in ["a", "b", "c"] {
            let member = MadeObject(RestorationIdentifier(recorded: name), value: 1)
            if byClass, name == "b" { member.restoration.restorationClass = MadeObject.self }
            member.add(TestObject("field", .view))
            test.delegate.root?.add(member)
        }
        try test.launch()
        test.save()
        return test.archive
    }

    /// Launches a scene with a finder that throws an error for the middle member.
    private func launched(
        _ archive: MemoryArchive, byClass: Bool, throwing error: any Error
    ) throws -> TestScene {
        let root = StackObject("stack", [MadeObject("a", [TestObject("field", .view)])])
        return try TestScene.launched(root, archive: archive, classes: .withMadeObject) {
            let refuse: (RestorationPath, StateDecoder) throws -> (any StateRestoring)? = {
                path, _ in
                if path.components.last?.text == "b" { throw error }
                return nil
            }
            if byClass { $0.making = refuse } else { $0.finding = refuse }
        }
    }

    @Test(arguments: [true, false])
    func `R3: an object reported as gone is removed without a warning or an unclaimed record`(
        byClass: Bool
    ) throws {
        let archive = try saved(byClass: byClass)
        let test = try launched(archive, byClass: byClass, throwing: RestorationError.gone)
        #expect(test.unrestored == [])
        #expect(test.report.unclaimed == 0)
        #expect(!test.report.hasUnassignedRecords)
        #expect(
            test.report.gone == ["stack/b", "stack/b/field", "stack/c", "stack/c/field"])
        test.save()
        #expect(archive.paths == ["stack", "stack/a", "stack/a/field"])
        #expect(
            try archive.values(at: "stack")["members"]
                == .array([.reference(RestorationPath(["stack", "a"]))]))
        let story = ObjectExplainer(test.scene).explanation(of: "stack/b", passMetadata: .test)
        #expect(
            story.sentences.contains(
                "The last launch (restore) did not restore it: the application reported that it "
                    + "was removed on purpose."))
        let after = try launched(archive, byClass: byClass, throwing: RestorationError.gone)
        #expect(after.report.recorded == 3)
        #expect(after.report.gone == [])
    }

    @Test(arguments: [true, false])
    func `R3: a declined controller is reported with the reason, and its record stays unclaimed`(
        byClass: Bool
    ) throws {
        let archive = try saved(byClass: byClass)
        let test = try launched(archive, byClass: byClass, throwing: Self.declined)
        let entry = try #require(test.report.unrestored.first)
        #expect(entry.path == "stack/b")
        #expect(entry.code == (byClass ? .restorationClassNil : .noObject))
        #expect(entry.detail.hasSuffix(" returned no object: item 24688BDD cannot be read"))
        #expect(test.report.unclaimed == 4)
        test.save()
        #expect(archive.paths.contains("stack/b/field"))
    }

    @Test func `R3: any other error is reported with its own description`() throws {
        let archive = try saved(byClass: false)
        let test = try launched(archive, byClass: false, throwing: Refusal())
        #expect(
            test.report.unrestored.first?.detail
                == "the delegate returned no object: refused for the test")
    }

    @Test func `R7: a registered object can be reported as gone`() throws {
        let object = MadeObject("player", .object, value: 2)
        object.restoration.restorationClass = MadeObject.self
        let first = TestScene(TestDelegate(TestObject("root")), classes: .withMadeObject)
        first.delegate.launching = {
            try $0.registerObject(forStateRestoration: object, restorationIdentifier: "player")
        }
        try first.launch()
        first.save()
        let next = try TestScene.launched(
            TestObject("root"), archive: first.archive, classes: .withMadeObject
        ) { $0.making = { _, _ in throw RestorationError.gone } }
        #expect(next.report.gone == ["player"])
        next.save()
        #expect(first.archive.paths == ["root"])
    }
}
