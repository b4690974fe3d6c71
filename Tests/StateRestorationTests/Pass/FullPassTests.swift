import FoundationEssentials
import StateRestoration
import Testing

@Suite struct FullPassTests {
    @Test func `I1: an object without an identifier does not take part in preservation`() throws {
        let test = try TestScene.launched(TestObject("nav", [TestObject(nil, value: 1)]))
        #expect(test.save()?.encodedObjectCount == 1)
        #expect(test.archive.paths == ["nav"])
        #expect(TestObject(nil).restoration.identifier == nil)
    }

    @Test func `I2: a view's path is its controller's path followed by its own identifier`() throws
    {
        let field = TestObject("field", .view)
        let box = TestObject(nil, .view, [field, TestObject("inner", .view)])
        let test = try TestScene.launched(TestObject("nav", [TestObject("page", [box])]))
        test.save()
        #expect(test.archive.paths == ["nav", "nav/page", "nav/page/field", "nav/page/inner"])
    }

    @Test func `I2: the path of a nested view does not include its superviews`() throws {
        let outer = TestObject("outer", .view, [TestObject("inner", .view)])
        let test = try TestScene.launched(TestObject("page", [outer]))
        test.save()
        #expect(test.archive.paths == ["page", "page/inner", "page/outer"])
    }

    @Test func `I2: nested views are preserved up to 512 levels below the outermost view`() throws {
        var view = TestObject("v513", .view)
        for number in (0..<513).reversed() {
            view = TestObject(RestorationIdentifier(recorded: "v\(number)"), .view, [view])
        }
        let test = try TestScene.launched(TestObject("page", [view]))
        test.save()
        #expect(test.archive.paths.count == 514)
        #expect(test.archive.number(at: "page/v512") != nil)
        #expect(test.archive.number(at: "page/v513") == nil)
    }

    @Test func `I2: reordering siblings changes no path and writes nothing`() throws {
        let first = TestObject("first", value: 1)
        let second = TestObject("second", value: 2)
        let root = TestObject("nav", [first, second])
        let test = try TestScene.launched(root)
        test.save()
        let before = test.archive.number(at: "nav/first")
        root.add(first)
        #expect(test.save()?.isEmpty == true)
        #expect(test.archive.number(at: "nav/first") == before)
    }

    /// The path consists of sixteen identifiers, separated by slashes, and the last object's `/y`.
    @Test(arguments: [(254, 0), (255, 1)])
    func `I2: a path can be up to 4,096 bytes long`(rootBytes: Int, diagnostics: Int) throws {
        let long = try RestorationIdentifier(validating: String(repeating: "x", count: 255))
        var tree = TestObject(long, [TestObject("y")])
        for _ in 2..<16 { tree = TestObject(long, [tree]) }
        let root = try RestorationIdentifier(validating: String(repeating: "r", count: rootBytes))
        let test = try TestScene.launched(TestObject(root, [tree]))
        let output = try #require(test.save())
        #expect(output.encodedObjectCount == 17 - diagnostics)
        #expect(output.diagnostics.count == diagnostics)
        #expect(output.sentences.allSatisfy { $0.contains("4097 bytes") })
    }

    @Test func `P18: a full pass encodes an object that marks all changes only if it is marked`()
        throws
    {
        let page = TestObject("page", value: 1)
        page.restoration.invalidatesEveryChange = true
        let test = try TestScene.launched(TestObject("nav", [page]))
        test.save()
        #expect(test.save(isFull: true)?.encodedObjectCount == 1)
        page.change(to: 2)
        #expect(test.save(isFull: true)?.encodedObjectCount == 2)
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(2))
        page.encoding = { _ in throw CancellationError() }
        page.change(to: 3)
        #expect(test.save(isFull: true)?.diagnostics.count == 1)
        // State that was lost is encoded again.
        page.encoding = nil
        #expect(test.save(isFull: true)?.encodedObjectCount == 2)
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(3))
        // The first pass of a launch encodes every object.
        let restoredPage = TestObject("page")
        restoredPage.restoration.invalidatesEveryChange = true
        let next = try TestScene.launched(TestObject("nav", [restoredPage]), archive: test.archive)
        #expect(next.save()?.encodedObjectCount == 2)
    }

    @Test func `P9: a full pass encodes objects again if their losses exceed the maximum`() throws {
        let pages = (0..<1001).map {
            TestObject(RestorationIdentifier(recorded: "p\($0)"), value: 1)
        }
        for page in pages {
            page.restoration.invalidatesEveryChange = true
            page.encoding = { _ in throw CancellationError() }
        }
        let test = try TestScene.launched(TestObject("nav", pages))
        test.save()
        for page in pages { page.encoding = nil }
        #expect(test.save(isFull: true)?.encodedObjectCount == 1002)
        #expect(try test.archive.values(at: "nav/p1000")["value"] == .integer(1))
    }

    @Test func `I4 and P5: objects below a preserved container are preserved`() throws {
        let test = try TestScene.launched(
            TestObject("nav", [TestObject("parent", [TestObject("child")])]))
        test.save()
        #expect(test.archive.paths == ["nav", "nav/parent", "nav/parent/child"])
    }

    @Test func `P1: every pass calls shouldSave, and false skips the pass but keeps the marks`()
        throws
    {
        let root = TestObject("nav", value: 1)
        let test = try TestScene.launched(root)
        test.delegate.saves = false
        #expect(test.save() == nil)
        #expect(test.scene.needsPass)
        test.delegate.saves = true
        test.save()
        #expect(try test.archive.values(at: "nav") == ["value": .integer(1)])
        test.delegate.saves = false
        root.change(to: 2)
        #expect(test.save() == nil)
        #expect(root.encodings == 1)
        test.delegate.saves = true
        test.save()
        #expect(try test.archive.values(at: "nav") == ["value": .integer(2)])
    }

    @Test func `P1: shouldSave and shouldRestore return false by default`() throws {
        final class Plain: RestorationDelegate {}
        let scene = Scene(
            name: "main", launchReason: .pristine, delegate: Plain(), classes: ClassRegistry(),
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        try scene.launch(restoring: nil)
        #expect(scene.preserve(.test, .everything()) == nil)
        let saved = SavedScene.test(1)
        let other = Scene(
            name: "main", launchReason: .restore, delegate: Plain(), classes: ClassRegistry(),
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        try other.launch(restoring: saved)
        #expect(other.report.isRefused)
    }

    @Test func `P2: a full pass encodes parents first, then registered and referenced objects`()
        throws
    {
        let journal = Journal()
        let field = TestObject("field", .view)
        let registered = TestObject("settings", .object)
        let root = TestObject("nav", [field, TestObject("page", [TestObject("text", .view)])])
        let test = try TestScene.launched(root.record(in: journal))
        test.delegate.journal = journal
        try test.scene.registerObject(
            forStateRestoration: registered.record(in: journal), restorationIdentifier: "settings")
        let orphan = TestObject("orphan").record(in: journal)
        root.reference = orphan
        test.save()
        #expect(
            journal.take() == [
                "shouldSave", "willEncode", "encode nav", "encode field", "encode page",
                "encode text", "encode settings", "encode orphan",
            ])
    }

    @Test func `P2: a full pass encodes tabs, stacks and presented controllers in a fixed order`()
        throws
    {
        let all = CompleteScene()
        let test = try all.saved()
        _ = all.journal.take()
        test.save(isFull: true)
        #expect(
            all.journal.take() == [
                "shouldSave", "willEncode",
                // The window's root is encoded first, followed by all reachable objects. Parents precede their
                // children, and each controller is followed by its views.
                "encode tab",
                "encode stack", "encode list", "encode table", "encode detail", "encode field",
                "encode notes",
                "encode settings", "encode switch",
                // The presenter refers to the presented controller.
                "encode sheet", "encode text",
                // The registered object has no parent.
                "encode player",
            ])
    }

    @Test func `P2: the delegate's methods share one namespace for keys`() throws {
        let test = try TestScene.launched(TestObject("nav"))
        test.delegate.onShouldSave = { $0.encode(1, forKey: "first") }
        test.delegate.encoding = { coder in
            coder.encode(2, forKey: "second")
            coder.encode(3, forKey: "first")
        }
        test.save()
        let next = TestScene(TestDelegate(TestObject("nav")), archive: test.archive)
        var seen: [Int?] = []
        next.delegate.restoring = { coder in
            seen.append(try? coder.decode(Int.self, forKey: "first"))
            seen.append(try? coder.decode(Int.self, forKey: "second"))
        }
        next.delegate.decoding = next.delegate.restoring
        try next.launch()
        #expect(seen == [1, 2, 1, 2])
    }

    @Test func `P3: equal keys in different objects never collide`() throws {
        let root = TestObject("nav", value: 1, [TestObject("page", value: 2)])
        let test = try TestScene.launched(root)
        test.delegate.encoding = { $0.encode(3, forKey: "value") }
        test.save()
        #expect(try test.archive.values(at: "nav")["value"] == .integer(1))
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(2))
        #expect(try test.archive.sceneValues()["value"] == .integer(3))
    }

    @Test func `P4: every encoder provides the reserved values`() throws {
        let page = TestObject("page")
        page.restoration.storyboard = StoryboardOrigin(name: "Main", identifier: "p")
        let root = TestObject("nav", [page])
        let test = try TestScene.launched(root)
        var stamps: [PassMetadata] = []
        var storyboards: [String?] = []
        for object in [root, page] {
            object.encoding = { coder in
                stamps.append(coder.passMetadata)
                storyboards.append(coder.storyboardName)
            }
        }
        test.delegate.encoding = { stamps.append($0.passMetadata) }
        test.save()
        #expect(stamps == [.test, .test, .test])
        #expect(storyboards == [nil, "Main"])
    }

    @Test func `P4: a decoder provides the reserved values of the pass that saved the state`()
        throws
    {
        let page = TestObject("page")
        page.restoration.storyboard = StoryboardOrigin(name: "Main", identifier: "p")
        let test = try TestScene.launched(TestObject("nav", [page]))
        test.save()
        let found = TestObject("page")
        var seen: [PassMetadata] = []
        var storyboard: String?
        found.decoding = { coder in
            seen.append(coder.passMetadata)
            storyboard = coder.storyboardName
        }
        let next = TestScene(TestDelegate(TestObject("nav", [found])), archive: test.archive)
        next.delegate.restoring = { seen.append($0.passMetadata) }
        next.delegate.decoding = { seen.append($0.passMetadata) }
        try next.launch()
        #expect(seen == [.test, .test, .test])
        #expect(storyboard == "Main")
    }

    @Test func `P6: nothing below an object without an identifier is preserved`() throws {
        let gap = TestObject(nil, [TestObject("field", .view), TestObject("page")])
        let test = try TestScene.launched(TestObject("nav", [gap]))
        test.save()
        #expect(test.archive.paths == ["nav"])
    }

    @Test func `P6: nothing is preserved if the root has no identifier`() throws {
        let test = try TestScene.launched(TestObject(nil, [TestObject("page")]))
        test.save()
        #expect(test.archive.paths == [])
    }

    @Test func `an object that gets an identifier is preserved by the next pass`() throws {
        let gap = TestObject(nil, [TestObject("page")])
        let test = try TestScene.launched(TestObject("nav", [gap]))
        test.save()
        gap.restoration.identifier = "gap"
        test.save()
        #expect(test.archive.paths == ["nav", "nav/gap", "nav/gap/page"])
        gap.restoration.identifier = nil
        test.save()
        #expect(test.archive.paths == ["nav"])
    }

    @Test(arguments: [10, 5000])
    func `P18: an object that gets a new identifier while another object encodes is saved under it`(
        size: Int
    ) throws {
        let renamed = [TestObject("a"), TestObject("c")]
        for object in renamed {
            object.encoding = { $0.encode(Data(count: size), forKey: "data") }
        }
        let other = TestObject("b")
        other.encoding = { _ in
            renamed[0].restoration.identifier = "another"
            renamed[1].restoration.identifier = "third"
        }
        let test = try TestScene.launched(TestObject("nav", renamed + [other]))
        test.save()
        #expect(test.archive.paths == ["nav", "nav/another", "nav/b", "nav/third"])
        for path in ["nav/another", "nav/third"] {
            #expect(
                try test.archive.values(at: path) == [
                    "data": .data([UInt8](repeating: 0, count: size))
                ])
        }
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test(arguments: [true, false])
    func `an object that two objects list as a child is preserved below its own parent`(
        isOwnerFirst: Bool
    ) throws {
        let child = TestObject("child")
        let (owner, other) = (TestObject("owner", [child]), TestObject("other", []))
        let test = try TestScene.launched(
            TestObject("nav", isOwnerFirst ? [owner, other] : [other, owner]))
        other.additionalChild = child
        for _ in 1...2 {
            test.save(isFull: true)
            #expect(test.archive.paths == ["nav", "nav/other", "nav/owner", "nav/owner/child"])
        }
        owner.restoration.invalidateStructure()
        other.restoration.invalidateStructure()
        test.save()
        #expect(test.archive.paths == ["nav", "nav/other", "nav/owner", "nav/owner/child"])
        other.additionalChild = nil
    }
}
