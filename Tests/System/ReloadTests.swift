import Subprocess
import Testing

/// Files that change while the daemon runs under systemd.
@Suite(.serialized) struct ReloadTests {
    private static let child1 = "nav/parent/child1/textField"
    private static let storyboard = "/etc/reprise/storyboards/ChildViews.yaml"

    /// Compared fields of a journal record.
    private struct Told: Equatable {
        var event: String
        var reason: String?
        var scene: String?
    }

    private func told(_ record: Substring) -> Told? {
        field("MESSAGE_ID", of: record).map { event in
            Told(
                event: event, reason: field("REPRISE_REASON", of: record),
                scene: field("REPRISE_SCENE", of: record))
        }
    }

    @Test(arguments: Debian.allCases)
    func `R2: an edited storyboard is applied, and the journal records the steps in order`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            try await container.control("type", Self.child1, "kept")
            let process = try await container.property("MainPID")
            try await container.run(
                "sed", "-i", "s/title: Child Views/title: Edited/", Self.storyboard)
            try await container.awaitRecord(
                "MESSAGE_ID=\(Event.reloaded)", "REPRISE_REASON=change")
            try #require(try await container.control("get", "nav/parent", "title") == "Edited\n")
            try #require(try await container.control("get", Self.child1, "text") == "kept\n")
            try await container.run("systemctl", "reload", "reprised")
            try await container.run("systemctl", "kill", "-s", "HUP", "reprised")
            try await container.awaitRecord(
                "MESSAGE_ID=\(Event.reloaded)", "REPRISE_REASON=signal")
            let records = try await container.records().compactMap(told)
            let begin = try #require(
                records.firstIndex { $0.event == Event.reloadBegun && $0.reason == "change" })
            let story = records[begin...].filter { told in
                [
                    Event.reloadBegun, Event.generationMade, Event.launched, Event.restored,
                    Event.scenesReloaded, Event.reloaded,
                ].contains(told.event)
            }.map { $0.event == Event.generationMade ? Told(event: $0.event) : $0 }
            try #require(
                story == [
                    Told(event: Event.reloadBegun, reason: "change"),
                    Told(event: Event.generationMade),
                    Told(event: Event.launched, reason: "reload", scene: "main"),
                    Told(event: Event.restored, reason: "reload", scene: "main"),
                    Told(event: Event.scenesReloaded, reason: "reload"),
                    Told(event: Event.reloaded, reason: "change"),
                    Told(event: Event.reloadBegun, reason: "command"),
                    Told(event: Event.reloaded, reason: "command"),
                    Told(event: Event.reloadBegun, reason: "signal"),
                    Told(event: Event.reloaded, reason: "signal"),
                ], "\(story)")
            try #require(try await container.property("MainPID") == process)
            try #require(try await container.property("ActiveState") == "active")
            try await container.requireNoComplaint()
        }
    }

    @Test(arguments: Debian.allCases)
    func `the unit status shows the position of a configuration error until it is fixed`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            try await container.control("type", Self.child1, "kept")
            let drop = "/etc/reprise/reprised.d/50-broken.yaml"
            try await container.run(
                "sh", "-c", "mkdir -p ${0%/*} && echo 'log: { level: loud }' >$0", drop)
            try await container.awaitRecord("MESSAGE_ID=\(Event.refused)", "REPRISE_FILE=\(drop)")
            let refused = try #require(
                try await container.records("MESSAGE_ID=\(Event.refused)").last)
            try #require(field("REPRISE_LINE", of: refused) == "1")
            try #require(field("REPRISE_COLUMN", of: refused) == "15")
            let reload = try await container.attempt("reprisectl", "reload")
            try #require(reload.status == .exited(1), "\(reload)")
            try #require(reload.errors.hasPrefix("reprisectl: \(drop):1:15: "), "\(reload)")
            let told = try await container.property("StatusText")
            try #require(told.contains("\(drop):1:15: "), "\(told)")
            let unit = try await container.attempt("systemctl", "reload", "reprised")
            try #require(unit.status == .exited(1), "\(unit)")
            try #require(try await container.property("ActiveState") == "active")

            try await container.run("rm", drop)
            try await container.control("reload")
            let mended = try await container.property("StatusText")
            try #require(
                mended == "Hosting 4 applications with 4 scenes, everything is saved.", "\(mended)")
            try #require(try await container.control("get", Self.child1, "text") == "kept\n")
        }
    }
}
