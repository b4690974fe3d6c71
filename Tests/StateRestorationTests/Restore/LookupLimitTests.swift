import StateRestoration
import Testing

/// A controller that counts how often its children are listed.
private final class CountedObject: TestObject {
    var listings = 0

    override func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        listings += 1
        super.forEachRestorationChild(body)
    }
}

/// Lookups of missing objects, which check at most 2^18 objects again.
@Suite struct LookupLimitTests {
    private static var classes: ClassRegistry {
        var classes = ClassRegistry()
        classes.register(CountedObject.self, as: "TestObject")
        return classes
    }

    private func objects(_ count: Int) -> [TestObject] {
        (0..<count).map { TestObject(RestorationIdentifier(recorded: "missing\($0)")) }
    }

    /// Returns a controller with children that have no identifiers.
    private func root(_ childCount: Int) -> CountedObject {
        let root = CountedObject("nav")
        for _ in 0..<childCount { root.add(TestObject(nil)) }
        return root
    }

    @Test func `R3: siblings are listed again until 2^18 siblings have been listed`() throws {
        let saved = try TestScene.launched(TestObject("nav", objects(20)))
        saved.save()
        let root = root(1 << 14)
        let test = try TestScene.launched(root, archive: saved.archive, classes: Self.classes)
        #expect(test.unrestored.count == 20)
        #expect(root.listings == 1 + 16)
    }

    @Test func `P7: possible orphans are listed again until 2^18 objects have been checked`() throws
    {
        let missing = objects(70)
        let saved = try TestScene.launched(TestObject("nav"))
        saved.delegate.encoding = { $0.encode(missing, forKey: "missing") }
        saved.save()
        // Each lookup checks the root. Each lookup except the first one also checks the
        // objects below the root again.
        let childCount = 4160
        #expect(64 + 63 * childCount == 1 << 18)
        let root = root(childCount)
        let test = try TestScene.launched(root, archive: saved.archive, classes: Self.classes)
        #expect(test.unrestored.count == 70)
        #expect(root.listings == 64)
    }
}
