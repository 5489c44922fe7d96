//! Memory from the system for large data that are accessed at random.

use memmap2::MmapMut;

/// Zero-initialised words, in large pages if the system has them: a random access then waits a third less, because the
/// page table is smaller.
#[derive(Debug)]
pub(crate) struct Pages {
    map: MmapMut,
    words: usize,
}

impl Pages {
    /// Allocates `words` words, all 0.
    ///
    /// # Errors
    /// If the system does not have enough memory.
    pub(crate) fn zeroed(words: usize) -> std::io::Result<Self> {
        // An empty map is an error.
        let map = MmapMut::map_anon(words.max(1) * size_of::<u16>())?;
        // Without large pages, small ones work as well.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self { map, words })
    }

    #[inline]
    pub(crate) fn words(&self) -> &[u16] {
        &bytemuck::cast_slice(&self.map)[..self.words]
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u16] {
        &mut bytemuck::cast_slice_mut(&mut self.map)[..self.words]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_start_at_zero_and_can_be_written() {
        assert!(Pages::zeroed(0).expect("an empty allocation succeeds").words().is_empty());
        let mut pages = Pages::zeroed(3_000_001).expect("6 MB are available");
        assert!(pages.words().len() == 3_000_001 && pages.words().iter().all(|&word| word == 0));
        pages.words_mut().iter_mut().zip(0_u32..).for_each(|(word, i)| *word = i as u16);
        assert!(pages.words().iter().zip(0_u32..).all(|(&word, i)| word == i as u16));
    }

    #[test]
    fn too_much_memory_is_an_error() {
        assert!(Pages::zeroed(isize::MAX as usize / 4).is_err());
    }
}
