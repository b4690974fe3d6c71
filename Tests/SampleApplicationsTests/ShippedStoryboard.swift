import FoundationEssentials

/// The installed storyboards, with optional changes to their identifiers.
enum ShippedStoryboard {
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - removed: The controllers whose restoration identifiers are removed.
    ///   - renamed: The new identifiers, keyed by the old identifiers.
    static func text(
        _ name: String, without removed: [String] = [], renaming renamed: [String: String] = [:]
    ) throws -> String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        var lines = try String(
            contentsOfFile: "/\(root)/config/storyboards/\(name)", encoding: .utf8
        )
        .split(separator: "\n", omittingEmptySubsequences: false)
        for name in removed {
            guard let index = lines.firstIndex(of: "    restorationIdentifier: \(name)") else {
                throw NoIdentifier(controller: name)
            }
            lines.remove(at: index)
        }
        for (old, new) in renamed {
            let line = "restorationIdentifier: \(old)"
            guard let index = lines.firstIndex(where: { $0.hasSuffix(line) }) else {
                throw NoIdentifier(controller: old)
            }
            lines[index] = lines[index].dropLast(old.count) + new
        }
        return lines.joined(separator: "\n")
    }

    struct NoIdentifier: Error {
        var controller: String
    }
}
