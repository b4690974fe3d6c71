import StateRecords
import StateRestoration
import Testing

@Suite struct RestorationReportTests {
    private func archive(of root: TestObject) throws -> MemoryArchive {
        let test = try TestScene.launched(root)
        test.save()
        return test.archive
    }

    @Test func `R15: the failure codes are stable`() {
        #expect(
            RestorationFailure.allCases.map(\.rawValue) == [
                "restoration-class-nil", "restoration-class-missing", "class-missing",
                "class-mismatch", "storyboard-missing", "no-object", "parent-dropped",
                "stack-cut", "duplicate-path", "decode-failed", "refused-by-delegate",
                "damaged",
            ])
    }

    @Test
    func `R15: a report counts recorded and restored objects and lists the unrestored objects`()
        throws
    {
        let archive = try archive(
            of: TestObject(
                "nav",
                [TestObject("gone", [TestObject("in")]), TestObject("bad"), TestObject("ok")]
            ))
        let bad = TestObject("bad")
        bad.decoding = { _ in throw Refusal() }
        let test = try TestScene.launched(
            TestObject("nav", [bad, TestObject("ok")]), archive: archive)
        let report = test.report
        #expect(report.recorded == 5)
        #expect(report.restored == 2)
        #expect(
            test.unrestored == [
                "nav/gone: no-object", "nav/gone/in: parent-dropped", "nav/bad: decode-failed",
            ])
        #expect(report.unrestored.allSatisfy { !$0.detail.isEmpty })
        #expect(report.unclaimed == 2)
        #expect(report.unlisted == 0)
        #expect(report.hasUnassignedRecords)
        #expect(!report.isRefused)
    }

    @Test func `R15: an object that fails to decode still counts as placed`() throws {
        let archive = try archive(of: TestObject("nav"))
        let root = TestObject("nav")
        root.decoding = { _ in throw Refusal() }
        let test = try TestScene.launched(root, archive: archive)
        #expect(test.unrestored == ["nav: decode-failed"])
        #expect(!test.report.hasUnassignedRecords)
    }

    @Test func `R15: a refused launch lists every object as refused`() throws {
        let archive = try archive(of: TestObject("nav", [TestObject("page", [TestObject("in")])]))
        let test = try TestScene.launched(TestObject("nav"), archive: archive) {
            $0.restores = false
        }
        #expect(
            test.unrestored == [
                "nav: refused-by-delegate", "nav/page: refused-by-delegate",
                "nav/page/in: refused-by-delegate",
            ])
        #expect(test.report.isRefused)
        #expect(test.report.hasUnassignedRecords)
        #expect(test.report.recorded == 3)
        #expect(test.report.restored == 0)
    }

    @Test func `R15: an object's entry is found by its path, compared byte by byte`() throws {
        let archive = try archive(
            of: TestObject("nav", [TestObject("\u{E9}"), TestObject("e\u{301}")]))
        let test = try TestScene.launched(
            TestObject("nav", [TestObject("\u{E9}")]), archive: archive)
        #expect(test.report.entry(for: "nav/e\u{301}")?.code == .noObject)
        #expect(test.report.entry(for: "nav/\u{E9}") == nil)
        #expect(test.report.entry(for: "nav") == nil)
    }

    @Test func `R15: a report lists at most 10,000 objects and counts the others`() throws {
        let archive = try archive(of: TestObject("nav", [TestObject("page")]))
        let saved = try #require(archive.savedScene).changed { records in
            var record = records.removeLast()
            for number in 100..<10_120 {
                record.header.number = UInt32(number)
                record.header.identifier = "page\(number)"
                records.append(record)
            }
        }
        let test = TestScene(TestDelegate(TestObject("nav")), archive: archive)
        try test.scene.launch(restoring: saved)
        #expect(test.report.unrestored.count == 10_000)
        #expect(test.report.unlisted == 20)
        #expect(test.report.unclaimed == 10_020)
        #expect(test.report.restored == 1)
    }

    @Test func `R15: a path or detail that is too long is truncated`() throws {
        let entry = UnrestoredObject(
            path: String(repeating: "é", count: 3000), code: .noObject,
            detail: "x" + String(repeating: "é", count: 3000))
        #expect(entry.path.utf8.count <= 4096)
        #expect(entry.path.utf8.count > 4090)
        #expect(entry.detail.utf8.count <= 1024)
        #expect(entry.detail.utf8.count > 1018)
        #expect(entry.path.hasSuffix("é…"))
        #expect(entry.detail.hasSuffix("é…"))
        let fitting = String(repeating: "y", count: 1024)
        #expect(UnrestoredObject(path: "a", code: .noObject, detail: fitting).detail == fitting)
    }
}
