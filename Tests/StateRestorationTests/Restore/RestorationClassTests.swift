import StateRestoration
import Testing

@Suite struct RestorationClassTests {
    /// Returns an archive with the saved state of a scene that has the given root.
    private func archive(of root: TestObject) throws -> MemoryArchive {
        let test = try TestScene.launched(root, classes: .withMadeObject)
        test.save()
        return test.archive
    }

    /// Returns an object whose class is its own restoration class.
    private func made(
        _ identifier: RestorationIdentifier, value: Int? = nil, _ children: [TestObject] = []
    ) -> MadeObject {
        let object = MadeObject(identifier, value: value, children)
        object.restoration.restorationClass = MadeObject.self
        return object
    }

    @Test
    func `R3: the restoration class is asked first, with the path and the object's saved state`()
        throws
    {
        let archive = try archive(
            of: TestObject("nav", value: 1, [made("page", value: 4, [TestObject("in")])]))
        let page = MadeObject(nil, [TestObject("in", value: 9)])
        var asked: [String] = []
        let root = TestObject("nav")
        let test = try TestScene.launched(root, archive: archive, classes: .withMadeObject) {
            $0.making = { path, coder in
                let value = try? coder.decode(Int.self, forKey: "value")
                asked.append("\(path) \(value ?? 0) \(coder.passMetadata.bundleVersion)")
                return page
            }
            $0.finding = { path, _ in
                asked.append("delegate \(path)")
                return nil
            }
        }
        #expect(asked == ["delegate nav", "nav/page 4 7", "delegate nav/page/in"])
        #expect(test.unrestored == [])
        #expect(page.value == 4)
        #expect(page.children[0].value == nil)
        #expect(page.children[0].decodings == 1)
    }

    @Test
    func
        `R3: if the restoration class returns nil, the controller is dropped without further steps`()
        throws
    {
        let origin = StoryboardOrigin(name: "Main", identifier: "page")
        let page = made("page", [TestObject("in")])
        page.restoration.storyboard = origin
        let archive = try archive(of: TestObject("nav", [page, TestObject("after", value: 3)]))
        let root = TestObject("nav", [MadeObject("page", [TestObject("in")]), TestObject("after")])
        var asked: [String] = []
        let test = try TestScene.launched(
            root, archive: archive,
            storyboards: TestStoryboard(makers: [
                origin: {
                    asked.append("storyboard")
                    return MadeObject("page")
                }
            ]),
            classes: .withMadeObject
        ) {
            $0.finding = { path, _ in
                asked.append(path.description)
                return nil
            }
        }
        #expect(
            test.unrestored == [
                "nav/page: restoration-class-nil", "nav/page/in: parent-dropped",
            ])
        #expect(asked == ["nav", "nav/after"])
        #expect(root.children[0].decodings == 0)
        #expect(root.children[1].value == 3)
    }

    @Test func `R5: an unknown restoration class drops only its own subtree`() throws {
        let archive = try archive(
            of: TestObject(
                "nav",
                [made("page", value: 1, [TestObject("in")]), TestObject("after", value: 3)]))
        let root = TestObject("nav", [MadeObject("page"), TestObject("after")])
        let test = try TestScene.launched(root, archive: archive)
        #expect(
            test.unrestored == [
                "nav/page: restoration-class-missing", "nav/page/in: parent-dropped",
            ])
        #expect(test.report.unrestored.first?.detail.contains("MadeObject") == true)
        #expect(root.children[0].decodings == 0)
        #expect(root.children[1].value == 3)
    }

    @Test func `R6: an object that a restoration class creates gets its identifier and that class`()
        throws
    {
        let archive = try archive(of: TestObject("nav", [made("page", value: 4)]))
        let root = TestObject("nav")
        let page = MadeObject(nil)
        root.decoding = { [unowned root] _ in root.add(page) }
        let test = try TestScene.launched(root, archive: archive, classes: .withMadeObject) {
            $0.making = { _, _ in page }
        }
        #expect(page.restoration.identifier == "page")
        #expect(page.restoration.restorationClass == MadeObject.self)
        #expect(test.save()?.isEmpty == true)
    }

    @Test func `R3: neither restoration classes nor the delegate are asked for views`() throws {
        let view = MadeObject("field", .view, value: 1)
        view.restoration.restorationClass = MadeObject.self
        let archive = try archive(of: TestObject("nav", [view, TestObject("gone", .view)]))
        let root = TestObject("nav", [MadeObject("field", .view)])
        var asked: [String] = []
        let test = try TestScene.launched(root, archive: archive, classes: .withMadeObject) {
            $0.making = { path, _ in
                asked.append(path.description)
                return nil
            }
            $0.finding = { path, _ in
                asked.append(path.description)
                return nil
            }
        }
        #expect(asked == ["nav"])
        #expect(test.unrestored == ["nav/gone: no-object"])
        #expect(root.children[0].value == 1)
    }
}
