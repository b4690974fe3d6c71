import ServiceLifecycle
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Passes over scenes whose objects were removed by other scenes.
@Suite struct ScenePassesTests {
    private final class Page: StateRestoring {
        let restoration = RestorationNode()
        let name: String

        init(_ name: String) { self.name = name }

        var restorationKind: RestorationKind { .viewController }

        func encodeRestorableState(with coder: StateEncoder) {
            coder.encode("text of \(name)", forKey: "text")
        }
    }

    private static let pages: ObjectKey<Page> = "pages"
    private static let names = ["first", "second"]

    @Test
    func `controllers removed by a command to another scene are kept in the history and reported`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let log = LogRecorder()
            var settings = PreservationSettings()
            settings.usesJournalFields = true
            let application = try Application(
                bundleIdentifier: Notes.bundleIdentifier, bundleVersion: "1",
                stateDirectory: scratch.watched(by: scratch.watch), settings: settings,
                scenes: ["main", "other"],
                logger: log.logger(), register: { try $0.list(Self.pages) { Page($0) } })
            let services = ServiceGroup(services: [application], logger: .quiet)
            async let running: Void = services.run()
            try await application.waitUntilLaunched()
            try await application.perform(on: "main") { scene in
                for name in Self.names { try scene.list(Self.pages)?.add(name) }
            }
            try await application.perform(on: "other") { _ in
                application.assumeIsolated { application in
                    let main = application.hostedScenes?.table.liveScenes.first {
                        $0.name == "main"
                    }
                    for name in Self.names { main?.scene.list(Self.pages)?.remove(name) }
                }
            }
            let paths = Self.names.map { "pages/\($0)" }
            let vanished = try await application.report(scene: "main").vanished.sorted()
            #expect(vanished.count == 2)
            for (sentence, path) in zip(vanished, paths) {
                #expect(sentence.hasPrefix("\(path): the state is in the history as "))
            }
            let logged = log.entries.filter {
                $0.metadata["MESSAGE_ID"] == LogEvent.controllersVanished.rawValue
            }
            #expect(logged.compactMap { $0.metadata["REPRISE_PATH"] }.sorted() == paths)
            let kept = try #require(try scratch.generations().last)
            for name in Self.names { #expect(kept.contains("text of \(name)".utf8)) }
            await services.triggerGracefulShutdown()
            try await running
        }
    }
}
