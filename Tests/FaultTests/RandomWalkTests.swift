import DaemonHost
import ExactText
import Glibc
import RepriseControl
import Subprocess
import SystemPackage
import TestSupport
import Testing
import Varlink

/// Visible state after a restart, following random commands.
struct RandomWalkTests {
    private static let commandCount = number("REPRISE_WALK_COMMANDS") ?? 20_000
    private static let killCount = number("REPRISE_WALK_KILLS") ?? 500
    private static let seed = UInt64(number("REPRISE_SEED") ?? 1)

    private static func number(_ variable: String) -> Int? {
        getenv(variable).flatMap { Int(String(cString: $0)) }
    }

    @Test
    func `after random commands and a restart, only reported differences are visible`()
        async throws
    {
        var walk = Walk(seed: Self.seed)
        var found: [String] = []
        var restartCount = 0
        var killCount = 0
        try await Host.with { host in
            try Self.hostEverything(host)
            var before: VisibleState?
            var isLast = false
            while !isLast {
                isLast = killCount == Self.killCount
                // Every tenth stop is orderly.
                let isKilled = !isLast && restartCount % 10 != 9
                let known = (walk, before, isLast)
                // In every other run, objects that were not invalidated are not checked again (P20).
                let interval = restartCount.isMultiple(of: 2) ? "10ms" : "1h"
                try host.directory.appending("config/reprised.d/interval.yaml")
                    .write("preservation: { interval: \(interval) }\n".utf8)
                let ended = try await host.run(
                    endingBy: isKilled ? .kill : .terminate
                ) { _ in
                    let client = try ControlClient(host)
                    var (walk, before) = (known.0, known.1)
                    var differences: [String] = []
                    if let before {
                        let reports = try walk.reports(client)
                        differences = try VisibleState(client)
                            .differences(from: before, reports: reports)
                    }
                    if !known.2 {
                        try walk.perform(Self.commandCount / Self.killCount, client)
                        before = try VisibleState(client)
                    }
                    return (walk, before, differences)
                }
                let differences = ended.value.2.map { "restart \(restartCount): \($0)" }
                found += differences
                let summary = (found + walk.last).joined(separator: "\n")
                try #require(found.isEmpty, "seed \(Self.seed): \(summary)")
                (walk, before) = (ended.value.0, ended.value.1)
                restartCount += 1
                if isKilled { killCount += 1 }
            }
        }
        report(
            "walk: \(walk.commandCount) commands, \(restartCount - 1) restarts, \(killCount) kills")
        try #require(killCount == Self.killCount)
        try #require(walk.commandCount >= Self.commandCount / Self.killCount * Self.killCount)
    }

    private static func hostEverything(_ host: Host) throws {
        let names = ["ChildViews", "StateRestore", "Homepwner", "Scrapbook"]
        try addFields(to: host.storyboard)
        try host.configure(
            applications: "["
                + names.map {
                    "{ bundleIdentifier: org.reprise.\($0), scenes: [main, second]"
                        + ($0 == "ChildViews" ? ", storyboards: [ChildViews.yaml] }" : " }")
                }.joined(separator: ", ") + "]")
    }

    /// Adds two text fields to the first child of ChildViews. Their identifiers are canonically equivalent (I5).
    private static func addFields(to storyboard: FilePath) throws {
        let text = String(decoding: try storyboard.read(), as: UTF8.self)
        let heading = "    restorationIdentifier: child1\n    views:\n"
        let fields = Walk.spellings.enumerated().map { index, identifier in
            "      field\(index): { class: TextField, restorationIdentifier: \(identifier), preservesText: true }\n"
        }
        let changed = text.replacing(heading, with: heading + fields.joined())
        try #require(changed != text)
        try storyboard.write(changed.utf8)
    }
}

/// A client that performs random commands.
struct Walk: Sendable {
    private var random: SeededNumbers
    /// Canonically equivalent strings, which Swift's `==` treats as equal (I5).
    static let spellings = ["caf\u{E9}", "cafe\u{301}"]
    /// Number of commands that were performed.
    private(set) var commandCount = 0
    /// Commands since the daemon was started.
    private(set) var last: [String] = []

    init(seed: UInt64) {
        random = SeededNumbers(seed: seed)
    }

    /// Performs a number of commands.
    mutating func perform(_ count: Int, _ client: ControlClient) throws {
        last = []
        let end = commandCount + count
        while commandCount < end {
            let list: ListCall.Reply = try client.call("List")
            let application = list.applications[random.below(list.applications.count)]
            if random.happens(percent: 3) {
                try openOrClose(application, client)
                continue
            }
            let running = application.scenes.filter { $0.phase == .running }
            guard !running.isEmpty else {
                try openOrClose(application, client)
                continue
            }
            let scene = running[random.below(running.count)]
            let parameters = ControlParameters(
                application: application.bundleIdentifier, scene: scene.name)
            let tree: TreeCall.Reply = try client.call("Tree", parameters)
            // Most calls are refused, because their objects do not support them.
            for _ in 0..<20 where !tree.objects.isEmpty {
                try act(on: tree.objects[random.below(tree.objects.count)], parameters, client)
                if commandCount == end { return }
            }
        }
    }

    /// Returns the launch reports of all running scenes.
    func reports(
        _ client: ControlClient
    ) throws -> [VisibleState.SceneName: ReportCall.Reply] {
        var reports: [VisibleState.SceneName: ReportCall.Reply] = [:]
        let list: ListCall.Reply = try client.call("List")
        for application in list.applications {
            for scene in application.scenes where scene.phase == .running {
                let name = VisibleState.SceneName(
                    application: application.bundleIdentifier, name: ExactString(scene.name))
                reports[name] = try client.call(
                    "Report",
                    ControlParameters(
                        application: name.application, scene: name.name.text, all: true))
            }
        }
        return reports
    }

    private mutating func openOrClose(
        _ application: ListedApplication, _ client: ControlClient
    ) throws {
        let names = ["main", "second", "third"] + Self.spellings
        try call(
            random.happens(percent: 60) ? "Open" : "Close",
            ControlParameters(
                application: application.bundleIdentifier, name: names[random.below(names.count)]),
            client)
    }

    private mutating func act(
        on object: TreeObject, _ scene: ControlParameters, _ client: ControlClient
    ) throws {
        var parameters = scene
        parameters.path = object.path
        switch random.below(13) {
        case 0, 1, 2:
            if random.happens(percent: 70) { parameters.text = text() }
            if random.happens(percent: 50) || parameters.text == nil {
                let end = random.below(4)
                parameters.select = .init(lowerBound: random.below(end + 1), upperBound: end)
            }
            try call("Type", parameters, client)
        case 3:
            parameters.indexes = [random.below(4)]
            try call("Select", parameters, client)
        case 4, 5:
            if random.happens(percent: 50) { parameters.row = random.below(5) }
            try call("Tap", parameters, client)
        case 6:
            parameters.on = random.happens(percent: 50)
            try call("Edit", parameters, client)
        case 7:
            (parameters.from, parameters.to) = (random.below(5), random.below(5))
            try call("Move", parameters, client)
        case 8:
            parameters.row = random.below(8)
            try call("Delete", parameters, client)
        case 9:
            (parameters.x, parameters.y) = (Double(random.below(9)), Double(random.below(9)))
            try call("Scroll", parameters, client)
        case 10:
            parameters.scale = Double(random.below(40)) / 8 + 0.5
            try call("Zoom", parameters, client)
        case 11:
            parameters.url = "https://example.org/\(random.below(5))"
            try call("Load", parameters, client)
        default:
            let method = ["Back", "Forward", "Dismiss"][random.below(3)]
            if method == "Dismiss" || random.happens(percent: 50) && method == "Back" {
                parameters.path = nil
            }
            try call(method, parameters, client)
        }
    }

    private mutating func text() -> String {
        let words =
            ["milk", "bread", "🥕 carrots", "für Élise", "", "two\nlines", "日本"] + Self.spellings
        return (0...random.below(3)).map { _ in words[random.below(words.count)] }
            .joined(separator: " ")
    }

    /// Makes a call. A refused call does not count.
    private mutating func call(
        _ method: String, _ parameters: ControlParameters, _ client: ControlClient
    ) throws {
        do {
            let reply: SavedReply = try client.call(method, parameters)
            commandCount += 1
            last.append(
                "\(method) \(parameters.application ?? "") \(parameters.scene ?? "") "
                    + "\(parameters.path ?? parameters.name ?? "") \(parameters.text ?? ""): "
                    + "\(reply.saved) \(reply.notSavedReason ?? "")")
        } catch let error as ControlError where error.name != "InternalError" {
            return
        }
    }
}
