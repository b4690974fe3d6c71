import StateRestoration
import Testing

/// Keys of values that are excluded from the history.
@Suite struct ExcludedKeyTests {
    private static let storedKey = "@uncounted"

    @Test func `the record of an object contains its excluded keys`() throws {
        let root = TestObject("nav", value: 1)
        root.encoding = {
            $0.excludeFromHistory(forKey: "count")
            $0.encode(2, forKey: "count")
            $0.excludeFromHistory(forKey: "value")
        }
        let test = try TestScene.launched(root)
        test.save()
        #expect(
            try test.archive.values(at: "nav")[Self.storedKey]
                == .array([.string("count"), .string("value")]))
    }

    @Test func `P2: the record of a scene contains the excluded keys of the delegate`() throws {
        let test = try TestScene.launched(TestObject("nav"))
        test.delegate.encoding = {
            $0.encode(2, forKey: "count")
            $0.excludeFromHistory(forKey: "count")
        }
        test.save()
        let values = try test.archive.sceneValues()
        #expect(values["count"] == .integer(2))
        #expect(values[Self.storedKey] == .array([.string("count")]))
    }

    @Test func `inspecting an object does not show the list of its excluded keys`() throws {
        let root = TestObject("nav", value: 1)
        root.encoding = { $0.excludeFromHistory(forKey: "value") }
        let test = try TestScene.launched(root)
        test.save()
        let values = try StateInspection(test.scene).values(of: root, passMetadata: .test)
        #expect(values == ["value": .integer(1)])
    }
}
