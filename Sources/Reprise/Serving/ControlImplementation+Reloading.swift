import RepriseControl
import Varlink

extension ControlImplementation {
    /// What takes the configuration over that is there now.
    func onReloading(_ interface: inout InterfaceImplementation) throws {
        try on(.reload, &interface) { (_: Empty) in try await reloads.reply() }
    }
}

extension ReloadRequests {
    /// Has the configuration read again, and tells what came of it.
    ///
    /// - Throws: ``ControlError`` if not all was taken over.
    func reply() async throws -> ReloadReply {
        switch await perform(.command) {
        case .done(let report) where report.failures.isEmpty:
            return ReloadReply(changed: report.changed, waiting: report.waiting)
        case .done(let report):
            throw ControlError.reloadedInPart(
                changed: report.changed, waiting: report.waiting, failures: report.failures)
        case .refused(let error):
            throw ControlError.configurationRefused(
                problems: error.description.split(separator: "\n").map(String.init))
        case .ending:
            throw ControlError.daemonEnding
        }
    }
}
