import FoundationEssentials

/// The storyboard of ChildViews as it is installed, with identifiers taken away.
enum ShippedStoryboard {
    private static var path: String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/\(root)/config/storyboards/ChildViews.yaml"
    }

    /// - Parameter removed: the controllers that lose their restoration identifiers.
    static func text(without removed: [String] = []) throws -> String {
        var lines = try String(contentsOfFile: path, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        for name in removed {
            guard let index = lines.firstIndex(of: "    restorationIdentifier: \(name)") else {
                throw NoIdentifier(controller: name)
            }
            lines.remove(at: index)
        }
        return lines.joined(separator: "\n")
    }

    struct NoIdentifier: Error {
        var controller: String
    }
}
