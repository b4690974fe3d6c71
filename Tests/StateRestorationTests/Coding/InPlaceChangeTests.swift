import StateRestoration
import Testing

/// A registered object with one property, which can fail to decode.
private final class Log: StateRestoring {
    let restoration = RestorationNode()
    @Restorable("entries") var entries: [String] = []
    private let fails: Bool

    init(fails: Bool = false) { self.fails = fails }

    func restorables(_ visitor: inout some RestorableVisitor) { visitor.visit(&$entries) }

    func decodeRestorableState(with coder: StateDecoder) throws {
        if fails { throw Refusal() }
    }
}

/// Properties that are modified in place while the archive retains unrestored records.
@Suite struct InPlaceChangeTests {
    /// Record that the archive retains.
    enum RetainedRecord: CaseIterable {
        /// The record of the object itself, which could not decode.
        case ownRecord
        /// The record of another object, whose class is missing.
        case otherRecord
        /// The record of a container, which refers to an object that was not restored.
        case container
    }

    private func root(_ retained: RetainedRecord, isFirstLaunch: Bool) -> TestObject {
        switch retained {
        case .ownRecord: TestObject("nav")
        case .otherRecord:
            TestObject("nav", [isFirstLaunch ? OtherObject("page") : TestObject("page")])
        case .container:
            StackObject(
                "nav",
                isFirstLaunch ? [TestObject("a"), TestObject("b")] : [TestObject("a")])
        }
    }

    @Test(arguments: RetainedRecord.allCases)
    func `R16: modifying a property in place without changing it does not mark the object`(
        retained: RetainedRecord
    ) throws {
        let archive = MemoryArchive()
        func launched(_ log: Log, isFirstLaunch: Bool) throws -> TestScene {
            let test = try TestScene.launched(
                root(retained, isFirstLaunch: isFirstLaunch), archive: archive
            ) {
                $0.launching = {
                    try $0.registerObject(
                        forStateRestoration: log, restorationIdentifier: "log")
                }
            }
            test.save()
            return test
        }
        let savedLog = Log()
        _ = try launched(savedLog, isFirstLaunch: true)
        let log = Log(fails: retained == .ownRecord)
        let test = try launched(log, isFirstLaunch: false)
        #expect(test.report.unrestored.count == 1)
        #expect(!test.scene.needsPass)
        log.entries.removeAll { _ in false }
        #expect(!test.scene.needsPass)
        log.entries.append("entry")
        #expect(test.scene.needsPass)
        withExtendedLifetime(savedLog) {}
    }
}
