import Hummingbird
import Logging
import Preservation
import ReprisePersist
import WebQueue

@main struct Program {
    static func main() async throws {
        let environment = Environment()
        let logger = Logger(label: "webqueue")
        var settings = PreservationSettings()
        // By default, a client receives a reply only after its change would survive a power cut.
        settings.durability = environment.get("DURABILITY") == "written" ? .written : .commit
        let (application, stores) = try await makeApplication(
            in: ApplicationStateDirectory(path: environment.get("STATE_DIRECTORY") ?? "state"),
            settings: settings, logger: logger)
        try await runProgram(
            store: stores.jobs, persist: stores.sessions, middleware: [RepriseErrorMiddleware()],
            services: [application], logger: logger)
    }
}
