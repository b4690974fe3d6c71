/// A drawing of the visible part of an image view's picture, in shaded characters.
struct ShadedPicture {
    private static let shades: [Character] = [" ", "░", "▒", "▓", "█"]
    /// Maximum number of drawn lines.
    private static let maximumLines = 1000

    private let image: Image?
    private let bounds: Rect
    private let center: Point
    private let inverse: AffineTransform?
    private let width: Int
    private let height: Int

    init(_ view: ImageView) {
        image = view.image
        bounds = view.bounds
        center = view.center
        inverse = view.transform.inverted
        width = Int(flooring: view.visibleSize.width).clamped(0, TextCanvas.maximumWidth)
        height = Int(flooring: view.visibleSize.height).clamped(0, Self.maximumLines)
    }

    func draw(on canvas: inout TextCanvas) {
        let width = min(width, canvas.width)
        guard let image else { return drawFrame(width, on: &canvas) }
        for line in 0..<height {
            canvas.line(String((0..<width).map { shade(of: image, column: $0, line: line) }))
        }
    }

    private func drawFrame(_ width: Int, on canvas: inout TextCanvas) {
        guard width >= 2, height >= 2 else { return }
        let rule = String(repeating: "─", count: width - 2)
        canvas.line("┌\(rule)┐")
        for _ in 0..<height - 2 {
            canvas.line("│\(String(repeating: " ", count: width - 2))│")
        }
        canvas.line("└\(rule)┘")
    }

    /// Returns the shade of the pixel that is nearest to the center of a character cell.
    private func shade(of image: Image, column: Int, line: Int) -> Character {
        let cell = Point(x: Double(column) + 0.5 - center.x, y: Double(line) + 0.5 - center.y)
        guard let point = inverse?.applied(to: cell),
            let x = pixel(point.x, bounds.size.width, image.width),
            let y = pixel(point.y, bounds.size.height, image.height)
        else { return " " }
        let shade = image.brightness(x: x, y: y) * Double(Self.shades.count)
        return Self.shades[Int(flooring: shade).clamped(0, Self.shades.count - 1)]
    }

    /// Returns the index of the pixel at a given distance from the center of the bounds along one axis, or `nil` if the
    /// pixel is outside the bounds.
    private func pixel(_ distance: Double, _ length: Double, _ count: Int) -> Int? {
        let part = distance / length + 0.5
        guard part >= 0, part < 1 else { return nil }
        return Int(flooring: part * Double(count)).clamped(0, count - 1)
    }
}
