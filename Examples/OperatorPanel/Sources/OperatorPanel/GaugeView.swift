import ControllerKit
import Preservation
import StateRestoration

/// A custom view that shows a reading as a bar, together with the highest reading so far.
final class GaugeView: View {
    @Restorable("reading") private(set) var reading = 0.0
    @Restorable("peak") private(set) var peak = 0.0
    /// The highest acceptable reading.
    var limit = 100.0

    override func restorables(_ visitor: inout some RestorableVisitor) {
        super.restorables(&visitor)
        visitor.visit(&$reading)
        visitor.visit(&$peak)
    }

    /// Shows a new reading.
    func show(_ reading: Double) {
        self.reading = reading
        peak = max(peak, reading)
    }

    override func draw(on canvas: inout TextCanvas) {
        let length = Int(reading / max(limit, 1) * 20)
        canvas.line(
            String(repeating: "█", count: min(max(length, 0), 20)) + " \(reading)",
            trailing: "peak \(peak)")
    }

    /// Describes the drawing to clients that do not show it, such as the page in a browser.
    override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        var text = AccessibilityElement(.text)
        let state = reading > limit ? "above the limit" : "within the limit"
        text.value = "Temperature \(reading), \(state), peak \(peak)"
        var button = AccessibilityElement(.button, label: "Reset peak", target: self)
        button.actions = [.tap]
        return [text, button]
    }
}

/// Performs the operation of the button, and of `reprisectl tap`.
extension GaugeView: Tappable {
    func tap() throws(OperationError) { peak = reading }
}

extension GaugeView: CommandProviding {
    var commands: [ProvidedCommand] {
        [
            ProvidedCommand("resetPeak", summary: "Resets the highest reading.") {
                try self.tap()
            }
        ]
    }
}
