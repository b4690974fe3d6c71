import ControllerKit
import StateRestoration

extension Change {
    /// Changes to the values of controls.
    static let controls = switches + sliders + pageControls + segmentedControls

    private static let switches: [Change] = [
        view("isOn", shown: { (view: Switch) in "\(view.isOn)" }) { $0.isOn = true },
        view("tap()", shown: { (view: Switch) in "\(view.isOn)" }) { try $0.tap() },
    ]

    private static func slider(
        _ name: String, _ change: @escaping @Sendable (Slider) throws -> Void
    ) -> Change {
        view(name, shown: { "\($0.value)" }, { $0.value = 0.5 }, change: change)
    }

    private static let sliders: [Change] = [
        slider("value") { $0.value = 0.75 },
        slider("minimumValue") { $0.minimumValue = 0.75 },
        slider("maximumValue") { $0.maximumValue = 0.25 },
        slider("type(_:appending:)") { try $0.type("0.75", appending: false) },
    ]

    private static func pageControl(
        _ name: String, _ change: @escaping @Sendable (PageControl) throws -> Void
    ) -> Change {
        view(
            name, shown: { "\($0.currentPage)" },
            {
                $0.numberOfPages = 4
                $0.currentPage = 3
            }, change: change)
    }

    private static let pageControls: [Change] = [
        pageControl("currentPage") { $0.currentPage = 1 },
        pageControl("numberOfPages") { $0.numberOfPages = 2 },
        pageControl("choose(_:)") { try $0.select([0]) },
    ]

    private static func segmentedControl(
        _ name: String, _ change: @escaping @Sendable (SegmentedControl) throws -> Void
    ) -> Change {
        view(
            name, shown: { "\($0.selectedSegmentIndex ?? -1)" },
            {
                $0.segments = ["a", "b", "c"]
                $0.selectedSegmentIndex = 2
            }, change: change)
    }

    private static let segmentedControls: [Change] = [
        segmentedControl("selectedSegmentIndex") { $0.selectedSegmentIndex = nil },
        segmentedControl("segments") { $0.segments = ["a"] },
        segmentedControl("choose(_:)") { try $0.select([1]) },
    ]
}
