import Preservation
import RepriseControl

/// The daemon's applications, in the order of the configuration.
struct ApplicationList: Sendable {
    let applications: [Application]

    /// An application by its bundle identifier; without one the first.
    func find(_ bundleIdentifier: String?) throws(ControlError) -> Application {
        guard let bundleIdentifier else {
            guard let first = applications.first else {
                throw .noSuchApplication(application: "(none is configured)")
            }
            return first
        }
        let found = applications.first { $0.bundleIdentifier == bundleIdentifier }
        guard let found else { throw .noSuchApplication(application: bundleIdentifier) }
        return found
    }

    /// What an operator wants to know of each.
    func statuses() async -> [ApplicationStatus] {
        var statuses: [ApplicationStatus] = []
        for application in applications { statuses.append(await application.status()) }
        return statuses
    }
}
