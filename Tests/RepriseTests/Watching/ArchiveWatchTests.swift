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
                log: WatchStatusRecorder(
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
}
