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
}

extension GaugeView: CommandProviding {
    var commands: [ProvidedCommand] {
        [
            ProvidedCommand("resetPeak", summary: "Resets the highest reading.") {
                self.peak = self.reading
            }
        ]
    }
}
