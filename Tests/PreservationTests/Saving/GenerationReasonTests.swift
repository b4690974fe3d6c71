import StateRestoration
import Testing

@testable import Preservation

@Suite struct GenerationReasonTests {
    private func reason(
        savedBy version: String = "1", isFromOtherProgram: Bool = false,
        _ change: (inout RestorationReport) -> Void = { _ in }
    ) -> GenerationReason? {
        var report = RestorationReport(reason: .restore)
        change(&report)
        return GenerationReason(
            report, of: "main", savedBy: version, launchedBy: "2",
            isFromOtherProgram: isFromOtherProgram)
    }

    private func unrestored(_ code: RestorationFailure) -> [UnrestoredObject] {
        [UnrestoredObject(path: "note", code: code, detail: "")]
    }

    @Test func `R16, L6: a launch adds a generation for the most serious reason`() {
        #expect(
            reason(isFromOtherProgram: true) { $0.isRefused = true }
                == .stateRefused(scene: "main", version: "1"))
        #expect(
            reason(isFromOtherProgram: true) { $0.unclaimed = 1 }
                == .incompletelyRestored(scene: "main"))
        #expect(reason { $0.expired = ["note"] } == .incompletelyRestored(scene: "main"))
        #expect(
            reason { $0.unrestored = unrestored(.decodeFailed) }
                == .incompletelyRestored(scene: "main"))
        #expect(reason(isFromOtherProgram: true) == .savedByOtherVersion("1", scene: "main"))
        #expect(
            reason(savedBy: "2", isFromOtherProgram: true) { $0.unrestored = unrestored(.noObject) }
                == .savedByOtherProgram(scene: "main"))
        #expect(reason(savedBy: "2") { $0.unrestored = unrestored(.noObject) } == nil)
    }
}
