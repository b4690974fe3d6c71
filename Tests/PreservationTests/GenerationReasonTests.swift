import StateRestoration
import Testing

@testable import Preservation

@Suite struct GenerationReasonTests {
    private func reason(
        savedBy version: String = "1", isOfOtherProgram: Bool = false,
        _ change: (inout RestorationReport) -> Void = { _ in }
    ) -> GenerationReason? {
        var report = RestorationReport(reason: .restore)
        change(&report)
        return GenerationReason(
            report, of: "main", savedBy: version, now: "2", isOfOtherProgram: isOfOtherProgram)
    }

    private func unrestored(_ code: RestorationFailure) -> [UnrestoredObject] {
        [UnrestoredObject(path: "note", code: code, detail: "")]
    }

    @Test func `R16, L6: what a launch did not restore is kept, for the gravest reason`() {
        #expect(
            reason(isOfOtherProgram: true) { $0.isRefused = true }
                == .refused(scene: "main", version: "1"))
        #expect(reason(isOfOtherProgram: true) { $0.unclaimed = 1 } == .unplaced(scene: "main"))
        #expect(reason { $0.expired = ["note"] } == .unplaced(scene: "main"))
        #expect(
            reason { $0.unrestored = unrestored(.decodeFailed) } == .unplaced(scene: "main"))
        #expect(reason(isOfOtherProgram: true) == .otherVersion("1", scene: "main"))
        #expect(
            reason(savedBy: "2", isOfOtherProgram: true) { $0.unrestored = unrestored(.noObject) }
                == .otherProgram(scene: "main"))
        #expect(reason(savedBy: "2") { $0.unrestored = unrestored(.noObject) } == nil)
    }
}
