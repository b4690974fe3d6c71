import StateRestoration
import Testing

@Suite struct ExpiringRootTests {
    @Test
    func `R16: only the record of a missing root expires, and its subtree counts as repeated`()
        throws
    {
        let saved = try TestScene.launched(TestObject("nav", [TestObject("page")]))
        saved.save()
        for launch in 1...11 {
            let test = try TestScene.launched(TestObject("other"), archive: saved.archive)
            test.save()
            let report = test.report
            #expect(report.unrestored.map(\.path) == ["nav", "nav/page"])
            #expect(report.unrestored.map(\.isRepeated) == [launch > 1, launch > 1])
            #expect(report.expiring == (launch == 10 ? ["nav"] : []))
            #expect(report.expired == (launch == 11 ? ["nav"] : []))
        }
        #expect(saved.archive.paths == ["other"])
    }
}
