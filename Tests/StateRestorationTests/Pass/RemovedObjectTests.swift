import FoundationEssentials
import StateRecords
import Testing

@testable import StateRestoration

/// Objects whose records are removed, and objects that return afterward.
@Suite struct RemovedObjectTests {
    @Test func `P9: an object that fails to encode when it returns is saved once it encodes again`()
        throws
    {
        let page = TestObject("page", value: 1, [TestObject("below", value: 2)])
        let root = TestObject("nav", [page])
        let test = try TestScene.launched(root)
        test.save()
        page.leave()
        test.save()
        #expect(test.archive.paths == ["nav"])
        page.encoding = { _ in throw Refusal() }
        root.add(page)
        test.save()
        #expect(test.archive.paths == ["nav", "nav/page", "nav/page/below"])
        #expect(try test.archive.values(at: "nav/page") == [:])
        page.encoding = nil
        page.invalidateRestorableState()
        test.save()
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(1))
    }

    @Test func `P5: an object that returns preserves the object to which it refers`() throws {
        let page = TestObject("page")
        page.reference = TestObject("orphan", value: 1)
        let root = TestObject("nav", [page])
        let test = try TestScene.launched(root)
        test.save()
        page.leave()
        test.save()
        #expect(test.archive.paths == ["nav"])
        root.add(page)
        test.save()
        #expect(test.archive.paths == ["nav", "nav/page", "orphan"])
        page.reference = nil
        page.invalidateRestorableState()
        test.save()
        #expect(test.archive.paths == ["nav", "nav/page"])
    }

    @Test func `an object below an object that left can be added below another object`() throws {
        let below = TestObject("below", value: 1)
        let page = TestObject("page", [below])
        let root = TestObject("nav", [page])
        let test = try TestScene.launched(root)
        test.save()
        page.leave()
        test.save()
        root.add(below)
        test.save()
        #expect(test.archive.paths == ["nav", "nav/below"])
        #expect(try test.archive.values(at: "nav/below")["value"] == .integer(1))
    }

    @Test func `P20: an object that returns is not a missed invalidation`() throws {
        let page = TestObject("page", value: 1)
        let root = TestObject("nav", [page])
        let test = try TestScene.launched(root)
        test.save()
        page.leave()
        test.save()
        root.add(page)
        let output = try #require(test.save(isFull: true))
        #expect(output.missedInvalidationCount == 0)
        #expect(output.diagnostics == [])
        #expect(test.archive.paths == ["nav", "nav/page"])
    }

    @Test func `P21: the removal of a record counts as a change to its object`() throws {
        let page = TestObject("page", value: 1)
        let test = try TestScene.launched(TestObject("nav", [page]))
        test.save()
        let fingerprints = FingerprintComparison(test.scene, [page])
        page.leave()
        test.save()
        #expect(fingerprints.hasChanges())
    }

    @Test func `P18: an object that is removed and recorded again in one pass is written once`()
        throws
    {
        let inner = TestObject("inner", value: 1)
        inner.encoding = { $0.encode(Data(count: 5000), forKey: "data") }
        let first = TestObject("z", [inner])
        let second = TestObject("z")
        second.reference = inner
        let root = TestObject("nav", [TestObject(nil, [first]), TestObject(nil, [second])])
        root.reference = first
        let test = try TestScene.launched(root)
        test.save()
        root.reference = second
        root.invalidateRestorableState()
        inner.change(to: 9)
        let numbers = try #require(test.save()).objects.map(\.header.number)
        #expect(Set(numbers).count == numbers.count)
        #expect(test.archive.paths == ["inner", "nav", "z"])
        let values = try test.archive.values(at: "inner")
        #expect(values["value"] == .integer(9))
        #expect(values["data"] == .data([UInt8](repeating: 0, count: 5000)))
    }

    @Test func `P8: the numbers of all referenced objects without records are reserved`() throws {
        let targets = [TestObject(nil), TestObject(nil)]
        let root = TestObject("nav")
        root.encoding = { $0.encode(targets, forKey: "targets") }
        let test = try TestScene.launched(root)
        let numbers = try #require(test.save()).removals
        #expect(numbers.sorted() == targets.map(\.restoration.record.number.rawValue).sorted())
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `P14: objects that moved and changed are written once, without separate moves`()
        throws
    {
        let moved = [TestObject("a", value: 1), TestObject("b", value: 1)]
        let (old, new) = (TestObject("old", moved), TestObject("new"))
        let test = try TestScene.launched(TestObject("nav", [old, new]))
        test.save()
        for object in moved {
            new.add(object)
            object.change(to: 2)
        }
        let output = try #require(test.save())
        #expect(output.objects.map(\.header.identifier).sorted() == ["a", "b"])
        #expect(output.moves.isEmpty)
        #expect(
            test.archive.paths == ["nav", "nav/new", "nav/new/a", "nav/new/b", "nav/old"])
        for object in moved { old.add(object) }
        let moves = try #require(test.save()).moves
        #expect(moves.map(\.identifier) == ["a", "b"])
        #expect(
            test.archive.paths == ["nav", "nav/new", "nav/old", "nav/old/a", "nav/old/b"])
    }

    @Test func `an object that has left needs no pass when it gets another identifier`() throws {
        let page = TestObject("page")
        let test = try TestScene.launched(TestObject("nav", [page]))
        test.save()
        page.leaveReportingChange()
        test.save()
        #expect(test.archive.paths == ["nav"])
        page.restoration.identifier = "other"
        #expect(!test.scene.needsPass)
    }

    @Test func `objects that have left have no paths`() throws {
        let pages = [TestObject("a"), TestObject("b")]
        let test = try TestScene.launched(TestObject("nav", pages))
        test.save()
        let numbers = pages.map(\.restoration.record.number)
        #expect(numbers.map { test.scene.records.path(of: $0)?.description } == ["nav/a", "nav/b"])
        for page in pages { page.leaveReportingChange() }
        test.save()
        #expect(numbers.allSatisfy { test.scene.records.path(of: $0) == nil })
    }
}
