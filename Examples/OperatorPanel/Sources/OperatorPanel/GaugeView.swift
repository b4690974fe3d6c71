import ControllerKit
import Preservation
import StateRestoration

/// A view of this program's own: a reading as a bar, with the highest one so far.
final class GaugeView: View {
    @Restorable("reading") private(set) var reading = 0.0
    @Restorable("peak") private(set) var peak = 0.0
    /// From where on readings are too high.
    var limit = 100.0

    override func restorables(_ visitor: inout some RestorableVisitor) {
        super.restorables(&visitor)
        visitor.visit(&$reading)
        visitor.visit(&$peak)
    }

    /// Shows another reading.
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
            ProvidedCommand("resetPeak", summary: "Forgets the highest reading.") {
                self.peak = self.reading
            }
        ]
    }
}
