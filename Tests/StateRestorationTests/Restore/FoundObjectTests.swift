import StateRestoration
import Testing

/// Descriptions of the objects that a launch restored.
@Suite struct FoundObjectTests {
    /// Returns the descriptions of the objects, each in the form `path: summary`.
    private func found(_ test: TestScene) -> [String] {
        ObjectExplainer(test.scene).foundObjects().map { "\($0.path): \($0.summary)" }
    }

    /// Returns an archive with a saved stack of the given members.
    private func archive(of members: [TestObject]) throws -> MemoryArchive {
        let root = StackObject("nav")
        for member in members { root.add(member) }
        let test = try TestScene.launched(root, classes: .withMadeObject)
        test.save()
        return test.archive
    }

    /// Launches a scene with one object that was saved with further values.
    private func launched(
        _ encode: @escaping (StateEncoder) throws -> Void,
        decoding decode: @escaping (StateDecoder) throws -> Void = { _ in },
        configure: (TestDelegate) -> Void = { _ in }
    ) throws -> TestScene {
        let saved = TestObject("nav")
        saved.encoding = encode
        let first = try TestScene.launched(saved)
        first.save()
        let root = TestObject("nav")
        root.decoding = decode
        return try TestScene.launched(root, archive: first.archive, configure: configure)
    }

    @Test func `R18: each restored object shows which of the four steps found it`() throws {
        let origin = StoryboardOrigin(name: "Main", identifier: "board")
        let made = MadeObject("made")
        made.restoration.restorationClass = MadeObject.self
        let board = TestObject("board")
        board.restoration.storyboard = origin
        let archive = try archive(of: [made, TestObject("given"), TestObject("there"), board])
        let root = StackObject("nav", [TestObject("there")])
        let storyboards = TestStoryboard(makers: [
            origin: {
                let object = TestObject("board")
                object.restoration.storyboard = origin
                return object
            }
        ])
        let test = try TestScene.launched(
            root, archive: archive, storyboards: storyboards, classes: .withMadeObject
        ) {
            $0.making = { _, _ in MadeObject("made") }
            $0.finding = { path, _ in path.description == "nav/given" ? TestObject("given") : nil }
        }
        #expect(test.unrestored == [])
        #expect(
            Set(found(test)) == [
                "nav: it already existed", "nav/made: its restoration class returned it",
                "nav/given: the delegate returned it", "nav/there: it already existed",
                "nav/board: its storyboard created it",
            ])
    }

    @Test
    func `R18: an object that wins over the delegate's object is described as already existing`()
        throws
    {
        let archive = try archive(of: [TestObject("page")])
        let root = StackObject("nav", [TestObject("page")])
        let test = try TestScene.launched(root, archive: archive) {
            $0.finding = { path, _ in path.description == "nav" ? root : TestObject(nil) }
        }
        #expect(
            found(test) == ["nav: the delegate returned it", "nav/page: it already existed"])
    }

    @Test func `R18: keys that were not read are listed`() throws {
        let test = try launched {
            $0.encode(1, forKey: "first")
            $0.encode(2, forKey: "second")
            $0.encode(3, forKey: "third")
        } decoding: {
            _ = try $0.decode(Int.self, forKey: "second")
        }
        #expect(
            found(test) == [
                "nav: it already existed; no object read the values that were saved under the keys first, third"
            ])
    }

    @Test func `R18: no key is listed if all keys were read, in any order`() throws {
        let test = try launched {
            $0.encode(1, forKey: "first")
            $0.encode(2, forKey: "second")
            $0.encode([UInt8](repeating: 1, count: 5000), forKey: "large")
            $0.encode("third", forKey: "third")
        } decoding: {
            _ = try $0.decode(String.self, forKey: "third")
            _ = try $0.decode([UInt8].self, forKey: "large")
            _ = try $0.decode(Int.self, forKey: "second")
            _ = try $0.decode(Int.self, forKey: "never")
            // A read of another type counts as well.
            _ = try? $0.decode(String.self, forKey: "first")
        }
        #expect(found(test) == ["nav: it already existed"])
    }

    @Test func `R18: a large value that was not read is listed`() throws {
        let test = try launched {
            $0.encode([UInt8](repeating: 1, count: 5000), forKey: "large")
            $0.encode([UInt8](repeating: 1, count: 6000), forKey: "larger")
        } decoding: {
            _ = try $0.decode([UInt8].self, forKey: "larger")
        }
        #expect(
            found(test) == [
                "nav: it already existed; no object read the values that were saved under the key large"
            ])
    }

    private static let keys: [StaticString] = [
        "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b0", "b1", "b2", "b3", "b4",
        "b5", "b6", "b7", "b8", "b9", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9",
        "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "e0", "e1", "e2", "e3", "e4",
        "e5", "e6", "e7", "e8", "e9", "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9",
        "g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9",
    ]

    @Test(arguments: [[], [3], [65], [0, 63, 64, 69]])
    func `R18: only the unread keys of many keys are listed`(unread: [Int]) throws {
        for reversed in [false, true] {
            let test = try launched {
                for key in Self.keys { $0.encode(1, forKey: key) }
            } decoding: {
                let keys = Self.keys.indices.filter { !unread.contains($0) }
                for index in reversed ? keys.reversed() : keys {
                    _ = try $0.decode(Int.self, forKey: Self.keys[index])
                }
            }
            let object = try #require(ObjectExplainer(test.scene).foundObjects().first)
            #expect(object.unreadKeys == unread.map { Self.keys[$0].description })
        }
    }

    @Test func `R18: keys that the delegate reads count as read`() throws {
        let test = try launched {
            $0.encode(1, forKey: "document")
            $0.encode(2, forKey: "other")
        } configure: {
            $0.finding = { _, coder in
                _ = try coder.decode(Int.self, forKey: "document")
                return nil
            }
        }
        #expect(
            found(test) == [
                "nav: it already existed; no object read the values that were saved under the key other"
            ])
    }

    @Test func `R18: the library's own keys are never listed as unread`() throws {
        let test = try launched {
            $0.encode(1, forKey: "count")
            $0.excludeFromHistory(forKey: "count")
        } decoding: {
            _ = try $0.decode(Int.self, forKey: "count")
        }
        #expect(found(test) == ["nav: it already existed"])
    }

    @Test func `R18: keys that the delegate reads count even if the storyboard creates the object`()
        throws
    {
        let origin = StoryboardOrigin(name: "Main", identifier: "board")
        let board = TestObject("board", value: 1)
        board.restoration.storyboard = origin
        board.encoding = { $0.encode(1, forKey: "document") }
        let archive = try archive(of: [board])
        let storyboards = TestStoryboard(makers: [
            origin: {
                let object = TestObject("board")
                object.restoration.storyboard = origin
                return object
            }
        ])
        let root = StackObject("nav")
        let test = try TestScene.launched(root, archive: archive, storyboards: storyboards) {
            $0.finding = { path, coder in
                _ = try coder.decode(Int.self, forKey: "document")
                return nil
            }
        }
        #expect(
            found(test) == ["nav: it already existed", "nav/board: its storyboard created it"])
    }

    @Test func `R18: no keys are listed as unread while a coder is retained`() throws {
        var kept: StateDecoder?
        let test = try launched {
            $0.encode(1, forKey: "document")
        } decoding: {
            kept = $0
        }
        #expect(found(test) == ["nav: it already existed"])
        #expect(try kept?.decode(Int.self, forKey: "document") == 1)
    }

    @Test func `R18: an explanation shows how an object was found and which keys were not read`()
        throws
    {
        let test = try launched { $0.encode(1, forKey: "document") }
        let story = ObjectExplainer(test.scene).explanation(of: "nav", passMetadata: .test)
        #expect(
            story.sentences.contains(
                "The last launch (restore) restored it: it already existed; no object read the "
                    + "values that were saved under the key document."))
    }
}
