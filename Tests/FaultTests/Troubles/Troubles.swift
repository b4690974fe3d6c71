import DaemonHost
import Glibc
import Subprocess
import SystemPackage
import TestSupport

/// Problems in the cases of `docs/troubleshooting.md`, keyed by number. Each leaves the daemon running or stopped, as a
/// user would find it.
enum Troubles {
    typealias Scenario = @Sendable (TroubledHost) async throws -> Void

    static let all = commonCases.merging(environmentCases) { _, _ in
        fatalError("a case is there twice")
    }

    private static let commonCases: [Int: Scenario] = [
        1: {
            try await storyboard("restorationIdentifier: child1", "restorationIdentifier: kid1", $0)
        },
        2: { try await storyboard("    restorationIdentifier: parent\n", "", $0) },
        3: {
            try await storyboard("class: Child1ViewController", "class: Child2ViewController", $0)
        },
        4: { try await storyboard("class: TextField", "class: TextFeild", $0, starts: false) },
        5: {
            try await storyboard("bundleVersion: \"1\"", "bundleVersion: \"2\"", $0, starts: false)
        },
        6: { trouble in
            // The document with the items is missing, and the detail of an item was open.
            try await openDetail(trouble)
            let items = trouble.host.state.appending(
                "Documents/org.reprise.StateRestore/Items.json")
            trouble.names = ["FILE": items.string]
            try rename(items, to: "\(items)~")
            try await trouble.start()
        },
        7: { trouble in
            let text = "tabs/notes/textView"
            trouble.restoreCheck = ("reprisectl get \(text) text", "")
            try trouble.configure("Scrapbook")
            try await trouble.start()
            try await trouble.type("reprisectl type \(text) hello")
            try await trouble.stop()
            let archive = trouble.host.archive(of: "Scrapbook")
            // A string of one byte.
            try archive.write(
                ArchiveBytes(try archive.read()).replacing(versionTwo, by: versionOne))
            try await trouble.start()
        },
        8: { trouble in
            try await trouble.save()
            try await trouble.start()
            try await trap(at: "launch-decoded", trouble)
            try await trouble.start()
            try await nameQuarantined(trouble)
        },
        9: { trouble in
            try await trouble.save()
            for _ in 0..<3 {
                try await trouble.start()
                try await trouble.type("reprisectl debug trap turn-begin")
                try await trouble.attempt("reprisectl get nav/parent/child1/textField text")
                try await trouble.awaitExit()
            }
            try await trouble.start()
            try await nameQuarantined(trouble)
        },
        10: { trouble in
            trouble.restoreCheck?.output = "later"
            try await trouble.save()
            try await trouble.save("later", endingBy: .kill)
            try trouble.changeArchive { $0.dropLast(5) }
        },
        11: { trouble in
            try await trouble.save()
            try await trouble.save("later", endingBy: .kill)
            try trouble.changeArchive { flipped($0, at: 300) }
        },
        12: { trouble in
            try await trouble.start()
            try await trouble.type("reprisectl type nav/parent/child1/textField hello")
            try await trouble.type("reprisectl preserve")
            try await trouble.stop(.kill)
            // The last object in the file is the field of the other child.
            try trouble.changeArchive { bytes in
                let places = bytes.ranges(of: Array("textField".utf8)).map(\.lowerBound)
                return flipped(bytes, at: places.last ?? 0)
            }
        },
        13: { trouble in
            try await trouble.save()
            let archive = trouble.host.archive
            trouble.names["FILE"] = archive.string
            try FilePath("\(archive)~").write(try archive.read())
            try trouble.changeArchive { ArchiveBytes($0).newer() }
            try await trouble.start()
        },
        14: { trouble in
            trouble.restoreCheck = nil
            try await trouble.save()
            try await trouble.host.run(command: ["rm", "-r", trouble.host.savedState.string])
        },
        15: { trouble in
            try await trouble.save("before")
            try await trouble.start()
            try await trouble.type("reprisectl type nav/parent/child1/textField hello")
            try await trouble.host.run(command: ["rm", trouble.host.archive.string])
            try await trouble.await("reprisectl status", "was removed by another program")
            try await trouble.attempt("reprisectl explain nav/parent/child1/textField")
            try await nameGeneration(trouble)
        },
        16: { trouble in
            try await trouble.save()
            try await trouble.start()
            try await trouble.type("reprisectl quit --force")
            try await nameGeneration(trouble)
        },
        17: { trouble in
            try await trouble.save()
            try await trouble.start()
            try await trouble.type("reprisectl reset")
            try await nameGeneration(trouble)
        },
        18: { trouble in
            try trouble.configure("ChildViews", "limits: { state: 1KiB, stateWarning: 1KiB }")
            try await trouble.save()
            try await trouble.start()
            let text = String(repeating: "x", count: 2000)
            try await trouble.attempt("reprisectl type nav/parent/child1/textField \(text)")
            try await trouble.stop(.kill)
        },
        19: { trouble in
            let disk = try await trouble.mountDisk()
            try await trouble.save("before")
            try await trouble.start()
            trouble.names["FILE"] = disk.filler.string
            try disk.fill()
            let text = String(repeating: "hello ", count: 1500)
            trouble.restoreCheck?.output = text
            try await trouble.attempt("reprisectl type nav/parent/child1/textField '\(text)'")
        },
        20: { trouble in
            try await trouble.save()
            let history = trouble.host.savedState.appending("history")
            trouble.names["FILE"] = history.string
            try await trouble.host.run(command: ["rm", "-r", history.string])
            try history.write([])
            try trouble.editStoryboard(
                "restorationIdentifier: child1", "restorationIdentifier: kid1")
            try await trouble.start()
            try await nameQuarantined(trouble)
        },
    ]

    private static let versionTwo: [UInt8] = [4, 1, UInt8(ascii: "2")]
    private static let versionOne: [UInt8] = [4, 1, UInt8(ascii: "1")]

    // MARK: Steps

    /// Saves a text, replaces a line in the storyboard, and starts the daemon again.
    private static func storyboard(
        _ line: String, _ replacement: String, _ trouble: TroubledHost, starts: Bool = true
    ) async throws {
        try await trouble.save()
        try trouble.editStoryboard(line, replacement)
        if starts { try await trouble.start() } else { try await trouble.startExpectingFailure() }
    }

    /// Opens the detail of an item, and types a text that is saved only there.
    private static func openDetail(_ trouble: TroubledHost) async throws {
        let detail = "navController/viewController/EditField"
        trouble.restoreCheck = ("reprisectl get \(detail) text", "hello")
        try trouble.configure("StateRestore")
        try await trouble.start()
        try await trouble.type(
            "reprisectl tap navController/tableViewController/tableView --row 1")
        try await trouble.type("reprisectl type \(detail) hello")
        try await trouble.stop()
    }

    /// Makes the daemon crash while it launches the scene.
    private static func trap(at stage: String, _ trouble: TroubledHost) async throws {
        try await trouble.type("reprisectl quit")
        try await trouble.type("reprisectl debug trap \(stage)")
        try await trouble.attempt("reprisectl launch")
        try await trouble.awaitExit()
    }

    /// Sets `NAME` to the newest generation.
    static func nameGeneration(_ trouble: TroubledHost) async throws {
        let history = trouble.host.savedState.appending("history")
        trouble.names["NAME"] = history.entries.last { $0.hasSuffix(".archive") }
            .map { String($0.dropLast(".archive".count)) }
    }

    /// Sets `NAME` to the file in quarantine.
    static func nameQuarantined(_ trouble: TroubledHost) async throws {
        let quarantine = trouble.host.savedState.appending("quarantine")
        trouble.names["NAME"] = quarantine.entries.first
    }

    static func flipped(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
        var bytes = bytes
        bytes[offset] ^= 1
        return bytes
    }

    static func rename(_ file: FilePath, to other: String) throws {
        guard Glibc.rename(file.string, other) == 0 else { throw Errno(rawValue: errno) }
    }
}
