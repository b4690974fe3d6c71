import FileWatching
import FoundationEssentials
import Logging
import Preservation
import ServiceLifecycle
import StateRestoration
import TestSupport
import Testing

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct ArchiveWatchTests {
    @Test func `L4: each replacement of any application's archive is noticed`() async throws {
        try await ReloadingHost.with { host in
            let watch = ArchiveWatch(
                host.applications, below: host.scratch.file("state"),
                by: Result { () throws(FileWatchError) in try FileWatcher() },
                watchStatus: WatchStatusRecorder(
                    daemonState: host.daemonState, log: DaemonLog(logger: .quiet)),
                clock: ImmediateClock())
            let services = ServiceGroup(services: [watch], logger: .quiet)
            async let running: Void = services.run()
            for application in host.applications.applications {
                _ = try await application.preserve()
                let archive = URL(filePath: application.archivePath)
                let earlierState = try Data(contentsOf: archive)
                for number in 1...2 {
                    _ = try await application.open(scene: "scene \(number)")
                    _ = try await application.preserve()
                    try earlierState.write(to: archive, options: .atomic)
                    try await waitUntil("the application restores the earlier state") {
                        await application.status().scenes.map(\.name.text) == ["main"]
                    }
                }
            }
            await services.triggerGracefulShutdown()
            try await running
        }
    }

    private final class FixedModel: ApplicationModel {
        let hasChanges = false

        func saveChanges() {}
    }

    @Test func `each removed document of any application is written again`() async throws {
        let scratch = try ScratchDirectory()
        let directory = try ApplicationStateDirectory(path: scratch.file("state"))
        let applications = try ["org.example.A", "org.example.B"].map { name in
            try Application(
                bundleIdentifier: name, bundleVersion: "1", stateDirectory: directory,
                logger: .quiet,
                makeModel: { documents in
                    try documents.replace("note", with: Array(name.utf8))
                    return FixedModel()
                })
        }
        let running = applications.map { application in Task { try await application.run() } }
        for application in applications { try await application.waitUntilLaunched() }
        let watch = ArchiveWatch(
            ApplicationList(applications: applications), below: scratch.file("state"),
            by: Result { () throws(FileWatchError) in try FileWatcher() },
            watchStatus: WatchStatusRecorder(
                daemonState: DaemonState(Configuration(applications: [])),
                log: DaemonLog(logger: .quiet)),
            clock: ImmediateClock())
        let services = ServiceGroup(services: [watch], logger: .quiet)
        async let serving: Void = services.run()
        for application in applications {
            let document = "state/Documents/\(application.bundleIdentifier)/note"
            for round in 1...2 {
                try scratch.remove(document)
                try await waitUntil("\(document) is written again after removal \(round)") {
                    scratch.status(document) != nil
                }
                // The application opens the new file before it replies, so that it can write it again.
                _ = await application.status()
            }
        }
        await services.triggerGracefulShutdown()
        try await serving
        for task in running {
            task.cancel()
            try await task.value
        }
    }
}
