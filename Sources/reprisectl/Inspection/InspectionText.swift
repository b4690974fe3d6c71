import RepriseControl
import SavedState

/// Text output of `inspect`, which shows the contents of an archive.
struct InspectionText {
    let archive: InspectedArchive

    func print() {
        ArchiveLines.printHeader(archive)
        if let contents = archive.inspection.contents {
            for scene in SceneInspection(contents).scenes() { print(scene) }
        }
        for lostObject in archive.inspection.salvage?.damage.lostObjects ?? [] {
            let sceneSuffix = lostObject.scene.map { " of the scene \($0)" } ?? ""
            Terminal.print(
                "not intact: \(lostObject.displayName)\(sceneSuffix): \(lostObject.reason)")
        }
        ArchiveLines.printFooter(archive)
    }

    private func print(_ scene: InspectedObject) {
        let timeSuffix = scene.lastPassTime.map { ", saved \($0)" } ?? ""
        Terminal.print("scene \(scene.name ?? "")\(timeSuffix)")
        printValues(of: scene, indent: "  ")
        for object in scene.objects ?? [] {
            Terminal.print("  \(object.path ?? "")  \(object.description)")
            printValues(of: object, indent: "    ")
        }
    }

    private func printValues(of object: InspectedObject, indent: String) {
        for (key, value) in object.values.sorted(by: { $0.key < $1.key }) {
            Terminal.print("\(indent)\(key): \(value.singleLineText)")
        }
        if let problem = object.problem {
            Terminal.print("\(indent)(more of its values cannot be read: \(problem))")
        }
    }
}

extension InspectedObject {
    /// Description of the object: its class, and the restoration class or storyboard that creates it.
    var description: String {
        var text = `class` ?? "(no class)"
        if let restorationClass { text += ", restored by \(restorationClass)" }
        if let storyboard {
            text += ", of the storyboard \(storyboard)"
            if let storyboardIdentifier { text += " as \(storyboardIdentifier)" }
        }
        return text
    }
}

/// Lines that `inspect` prints before and after the contents of an archive.
enum ArchiveLines {
    static func printHeader(_ archive: InspectedArchive) {
        let inspection = archive.inspection
        guard let header = inspection.header else {
            if case .newer(let version) = inspection.condition {
                Terminal.print("an archive of format version \(version)")
            } else {
                Terminal.print("no header can be read")
            }
            return
        }
        let ownerDescription =
            "an archive of \(header.bundleIdentifier), format version \(ArchiveFormat.version)"
        guard inspection.isHeaderIntact else {
            return Terminal.print("\(ownerDescription), according to its damaged header")
        }
        Terminal.print(
            "\(ownerDescription), durable up to sequence \(header.publishedSequence) when it was made"
        )
    }

    static func printFooter(_ archive: InspectedArchive) {
        let inspection = archive.inspection
        let totals = archive.totals
        var line = inspection.condition.name
        if case .newer = inspection.condition { line = "of a newer format" }
        line +=
            ": \(countPhrase(inspection.byteCount, "byte")), \(countPhrase(totals.recordCount, "record")), "
            + countPhrase(totals.passCount, "pass")
        if let contents = inspection.contents {
            line += " up to sequence \(contents.sequence)"
        }
        if totals.faultCount > 0 { line += ", \(countPhrase(totals.faultCount, "fault"))" }
        switch inspection.condition {
        case .whole: line += archive.isClosed ? "; closed" : "; not closed"
        case .torn, .damaged: line += "; complete up to byte \(inspection.completeByteCount)"
        case .newer: break
        }
        Terminal.print(line)
    }
}

extension ArchiveInspection.Condition {
    /// Word that describes the condition.
    var name: String {
        switch self {
        case .whole: "whole"
        case .torn: "torn"
        case .damaged: "damaged"
        case .newer: "newer"
        }
    }
}
