import ControllerKit
import StateRestoration

/// Converts a tree of controllers to text, with one line for each controller and view, including the values from the
/// storyboard.
enum StoryboardDump {
    /// Properties that are included. The classes provide further properties, which storyboards do not set.
    private static let shown = [
        "isHidden", "placeholder", "segments", "selectedSegmentIndex", "text", "title",
    ]

    static func dump(_ controller: ViewController) -> String {
        lines(controller).joined(separator: "\n")
    }

    private static func lines(_ controller: ViewController) -> [String] {
        let item = controller.navigationItem
        var result = [line(controller, controller.inspectedProperties)]
        result += item.leftBarButtonItems.flatMap(lines).map { "  left " + $0 }
        result += item.rightBarButtonItems.flatMap(lines).map { "  right " + $0 }
        result += controller.view.subviews.filter { $0.owner == nil }.flatMap(lines)
            .map { "  " + $0 }
        result += controller.children.flatMap(lines).map { "  " + $0 }
        return result
    }

    private static func lines(_ view: View) -> [String] {
        [line(view, view.inspectedProperties)]
            + view.subviews.filter { $0.owner == nil }.flatMap(lines).map { "  " + $0 }
    }

    private static func line(
        _ object: any StateRestoring, _ properties: [String: StoredValue]
    ) -> String {
        let node = object.restoration
        let origin = node.storyboard.map { "\($0.name)/\($0.identifier)" } ?? "-"
        let identifier = node.identifier.map { text in
            text.text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
        }
        var properties = properties
        if let button = object as? Button { properties["title"] = .string(button.title) }
        let given = shown.compactMap { name in properties[name].map { "\(name)=\($0)" } }
            .joined(separator: " ")
        return "\(origin) \(type(of: object)) \(identifier ?? "-") \(given)"
    }
}
