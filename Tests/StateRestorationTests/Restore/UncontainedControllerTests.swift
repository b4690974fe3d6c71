import StateRestoration
import Testing

/// Controllers that a restoration class made, but that no container has when the restoration ends.
@Suite struct UncontainedControllerTests {
    /// Launches a scene with two saved controllers, which are made again but not added to their container.
    ///
    /// - Parameters:
    ///   - isReferred: Whether the saved container refers to the second controller.
    ///   - isPlaced: Whether the first controller has a place that is not in the tree of the container.
    ///   - loaded: Error with which the object below the first controller decodes, or `nil`.
    private func launch(
        isReferred: Bool = false, isPlaced: Bool = false, loaded: Refusal? = nil
    ) throws -> RestorationReport {
        let members = [MadeObject("first"), MadeObject("second")]
        for member in members { member.restoration.restorationClass = MadeObject.self }
        members[0].add(TestObject("inner", value: 2))
        let root = TestObject("nav", members)
        if isReferred { root.reference = members[1] }
        let saved = try TestScene.launched(root, classes: .withMadeObject)
        saved.save()
        let test = try TestScene.launched(
            TestObject("nav", []), archive: saved.archive, classes: .withMadeObject
        ) {
            $0.making = { path, _ in
                let isFirst = path.components.last == "first"
                let made = isFirst ? MadeObject("first") : MadeObject("second")
                if isFirst {
                    let inner = TestObject("inner")
                    if let loaded { inner.decoding = { _ in throw loaded } }
                    made.add(inner)
                }
                made.isInObjectTree = isPlaced && isFirst
                return made
            }
        }
        return test.report
    }

    private func codes(_ report: RestorationReport) -> [String] {
        report.unrestored.map { "\($0.path): \($0.code.rawValue)" }.sorted()
    }

    @Test
    func `R15: an object without a container counts as not restored, as do the objects below it`()
        throws
    {
        let report = try launch()
        #expect(report.restored == 1)
        #expect(
            codes(report) == [
                "nav/first/inner: parent-dropped", "nav/first: no-object", "nav/second: no-object",
            ])
        #expect(report.unclaimed == 3)
    }

    @Test
    func `R15: an object that has a place or is referred to by a saved value counts as restored`()
        throws
    {
        #expect(
            codes(try launch(isReferred: true))
                == ["nav/first/inner: parent-dropped", "nav/first: no-object"])
        #expect(codes(try launch(isPlaced: true)) == ["nav/second: no-object"])
        #expect(codes(try launch(isReferred: true, isPlaced: true)) == [])
    }

    @Test func `R15: an object that could not decode is not counted a second time`() throws {
        let report = try launch(loaded: Refusal())
        #expect(report.restored == 1)
        #expect(
            codes(report) == [
                "nav/first/inner: decode-failed", "nav/first: no-object", "nav/second: no-object",
            ])
    }
}
