import ControllerKit
import FoundationEssentials

/// The pictures that ship with the scrapbook: binary PGM, drawn here.
enum Pictures {
    static let caption = """
        Hills in the evening. The light comes from the left, where the sun is about to set behind \
        the first of them. Further right the valley lies in the dark already, and only the highest \
        ridge still shines. Zoom in to see the ridge, and move the picture to see the valley.
        """

    /// Three ridges, one behind the other.
    static var hills: Image? { picture(width: 72, height: 24, hill) }

    /// A sun with a halo.
    static var sun: Image? {
        picture(width: 24, height: 12) { x, y in
            let distance = (x - 12) * (x - 12) + 4 * (y - 6) * (y - 6)
            return distance < 40 ? 255 : max(0, 160 - distance)
        }
    }

    private static func hill(x: Int, y: Int) -> Int {
        let ridges = [12 + abs(x % 36 - 18) / 3, 16 + abs((x + 9) % 24 - 12) / 2, 21]
        let shades = [190, 120, 60]
        for (ridge, shade) in zip(ridges, shades).reversed() where y >= ridge {
            return max(0, shade - x / 2)
        }
        return 255 - x * 2
    }

    private static func picture(
        width: Int, height: Int, _ shade: (_ x: Int, _ y: Int) -> Int
    ) -> Image? {
        var data = Data("P5 \(width) \(height) 255\n".utf8)
        for y in 0..<height {
            for x in 0..<width { data.append(UInt8(clamping: shade(x, y))) }
        }
        return try? Image(data: data)
    }
}
